import Base
import Files
import MatrixAdapter

/// Devices logged in, each in a file of its own that only the owner may read: a token is no part of a
/// database that people copy about.
struct SessionFiles: Sendable {
    let folder: StateFolder

    /// Bytes.
    private static let longestFile = 64 * 1024
    private static let prefix = "matrix-"
    private static let suffix = ".session"

    func readAll(log: Log) -> [String: StoredSession] {
        var sessions: [String: StoredSession] = [:]
        for name in folder.names() {
            guard let account = Self.account(ofFile: name) else { continue }
            guard let session = read(name) else {
                log.warning("a stored Matrix session can't be read", ["file": name])
                continue
            }
            sessions[account] = session
        }
        return sessions
    }

    /// Why a session isn't on disk.
    struct Fault: Error {
        let reason: String
    }

    /// The old file stays whole until the new one is safe on disk.
    func write(_ session: StoredSession?, of account: String) throws(Fault) {
        let path = folder.file(Self.file(of: account))
        let bytes: [UInt8]? = if let session { try Self.bytes(of: session) } else { nil }
        do throws(FileError) {
            if let bytes { try OwnerFile.replace(path, with: bytes) } else { try OwnerFile.remove(path) }
        } catch {
            throw Fault(reason: error.description)
        }
    }

    private static func bytes(of session: StoredSession) throws(Fault) -> [UInt8] {
        let fields = fields(of: session)
        guard fields.allSatisfy({ !$0.value.isEmpty && $0.value.utf8.allSatisfy { $0 >= 0x20 } }) else {
            throw Fault(reason: "the homeserver gave a session with control characters in it")
        }
        return fields.flatMap { "\($0.name) \($0.value)\n".utf8 }
    }

    private func read(_ name: String) -> StoredSession? {
        guard let bytes = try? OwnerFile.read(folder.file(name), atMost: Self.longestFile) else { return nil }
        var fields: [Substring: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = String(parts[1]) }
        }
        guard let user = fields["user_id"], let device = fields["device_id"], let token = fields["access_token"] else {
            return nil
        }
        return StoredSession(
            userID: user, deviceID: device, accessToken: Secret(token),
            refreshToken: fields["refresh_token"].map { Secret($0) },
            expires: fields["expires"].flatMap { Int64($0) }.map(WallTime.init(milliseconds:)),
            clientID: fields["client_id"])
    }

    private static func fields(of session: StoredSession) -> [(name: String, value: String)] {
        let fields: [(name: String, value: String?)] = [
            ("user_id", session.userID), ("device_id", session.deviceID), ("access_token", session.accessToken.value),
            ("refresh_token", session.refreshToken?.value),
            ("expires", session.expires.map { String($0.milliseconds) }),
            ("client_id", session.clientID),
        ]
        return fields.compactMap { field in field.value.map { (field.name, $0) } }
    }

    private static func file(of account: String) -> String { prefix + AccountFileName.spelled(account) + suffix }

    private static func account(ofFile name: String) -> String? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        return AccountFileName.account(name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
    }
}
