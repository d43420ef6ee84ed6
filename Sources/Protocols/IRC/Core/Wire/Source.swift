/// Who a line comes from: `nick!user@host`, or a server's name alone.
public struct Source: Equatable, Sendable {
    public let nick: String
    public let user: String?
    public let host: String?

    public init(nick: String, user: String? = nil, host: String? = nil) {
        self.nick = nick
        self.user = user
        self.host = host
    }

    public init(parsing text: String) {
        var text = text
        self = text.withUTF8 { bytes in
            let bang = bytes.firstIndex(of: UInt8(ascii: "!"))
            let at = bytes[(bang ?? 0)...].firstIndex(of: UInt8(ascii: "@"))
            let part = { (range: Range<Int>) in
                String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
            }
            return Source(
                nick: part(0..<(bang ?? at ?? bytes.count)), user: bang.map { part($0 + 1..<(at ?? bytes.count)) },
                host: at.map { part($0 + 1..<bytes.count) })
        }
    }

    /// A person has a host in every line that others see; a server has only its name.
    var isPerson: Bool { host != nil }

    var mask: String { "\(nick)!\(user ?? "*")@\(host ?? "*")" }
}
