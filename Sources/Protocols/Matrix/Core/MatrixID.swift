/// The little that may be read out of an identifier (Matrix appendices, "Common Identifier Format").
public enum MatrixID {
    /// What every identifier is limited to, in bytes.
    public static let maximumBytes = 255

    /// The server of a user id or alias: all after the first colon. Room ids have none from room version 12 on, so it
    /// is never asked of them.
    public static func server(of id: String) -> String? {
        guard let colon = id.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let server = id[id.utf8.index(after: colon)...]
        return server.isEmpty ? nil : String(server)
    }

    /// The part of a user id between `@` and the first colon.
    public static func localpart(of userID: String) -> String? {
        guard userID.utf8.first == UInt8(ascii: "@"), let colon = userID.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let local = userID[userID.utf8.index(after: userID.startIndex)..<colon]
        return local.isEmpty ? nil : String(local)
    }

    /// `@localpart:server` with the historical characters allowed, since such accounts are still about.
    public static func isUser(_ id: String) -> Bool {
        guard id.utf8.count <= maximumBytes, let local = localpart(of: id), let server = server(of: id) else {
            return false
        }
        return local.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && isServer(server)
    }

    /// `!…`, with or without a server.
    public static func isRoom(_ id: String) -> Bool {
        id.utf8.first == UInt8(ascii: "!") && id.utf8.count > 1 && id.utf8.count <= maximumBytes
            && id.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// `#name:server`.
    public static func isAlias(_ id: String) -> Bool {
        guard id.utf8.first == UInt8(ascii: "#"), id.utf8.count <= maximumBytes, let server = server(of: id),
            let colon = id.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        return id.utf8.distance(from: id.startIndex, to: colon) > 1 && isServer(server)
            && id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// A host name or address, with or without a port.
    public static func isServer(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
                    UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            }
    }
}
