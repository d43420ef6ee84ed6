import Base
import Glibc
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

    /// Nil is success; else the reason. The old file stays whole until the new one is safe on disk.
    func write(_ session: StoredSession?, of account: String) -> String? {
        let name = folder.file(Self.file(of: account))
        guard let session else {
            return unlink(name) == 0 || errno == ENOENT ? nil : systemText(errno)
        }
        let fields = Self.fields(of: session)
        guard fields.allSatisfy({ !$0.value.isEmpty && $0.value.utf8.allSatisfy { $0 >= 0x20 } }) else {
            return "the homeserver gave a session with control characters in it"
        }
        let text = fields.map { "\($0.name) \($0.value)\n" }.joined()
        let temporary = name + ".new"
        unlink(temporary)
        guard Self.writeWhole(Array(text.utf8), to: temporary), rename(temporary, name) == 0 else {
            let reason = systemText(errno)
            unlink(temporary)
            return reason
        }
        syncFolder()
        return nil
    }

    private func read(_ name: String) -> StoredSession? {
        let path = folder.file(name)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        fchmod(file, 0o600)
        var bytes = [UInt8](repeating: 0, count: Self.longestFile)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        var fields: [Substring: String] = [:]
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
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

    private static func writeWhole(_ bytes: [UInt8], to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        // One write is enough for so few bytes, and anything less is a fault.
        let isWhole = Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let reason = errno
        let isClosed = close(file) == 0
        if !isWhole { errno = reason }
        return isWhole && isClosed
    }

    /// Makes the rename itself safe against a power cut.
    private func syncFolder() {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Account names are the operator's: what could be a path or a hidden file is spelled `%XX`.
    private static func file(of account: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in account.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return prefix + String(decoding: bytes, as: UTF8.self) + suffix
    }

    private static func account(ofFile name: String) -> String? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        var bytes: [UInt8] = []
        var rest = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
