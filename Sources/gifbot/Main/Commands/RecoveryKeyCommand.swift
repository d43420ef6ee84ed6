import Bot
import Glibc
import MatrixAdapter
import State

/// `gifbot verify --recovery-key`: shows the key that opens the account's secrets, once, and removes its file.
struct RecoveryKeyCommand {
    let config: String?
    let account: String?

    /// A key has 48 characters and spaces.
    private static let longestKey = 200

    func perform() -> Exit {
        guard let (_, loaded) = SettingsFile.loadAndTell(named: config), let settings = loaded.settings else {
            return .badConfig
        }
        guard let chosen = settings.matrixAccount(named: account) else { return .wrongUsage }
        return show(chosen, folder: settings.program.state)
    }

    private func show(_ account: MatrixAccountSettings, folder: String) -> Exit {
        let found = Self.files(in: folder, of: account.user)
        guard let file = found.first else {
            return failed(
                "no recovery key lies in \(folder): it was shown already, or the bot hasn't made one yet")
        }
        guard found.count == 1 else {
            return failed("several accounts have recovery keys in \(folder): say \"user\" in the config")
        }
        let path = "\(folder)/\(file)"
        let key: [UInt8]
        switch Self.read(path) {
        case .success(let bytes): key = bytes
        case .failure(let fault): return failed("can't read \(path): \(fault.reason)")
        }
        // Gone only when somebody has it.
        guard Self.writeOut(key) else { return failed("the key couldn't be written out; its file stays") }
        guard unlink(path) == 0 else {
            return failed("can't remove \(path): \(String(cString: strerror(errno))); remove it by hand")
        }
        Output.error.write(
            """
            This key opens the account's cross-signing keys. Keep it somewhere else than on this machine: with it another
            device of the bot can be signed. It is not shown again.

            """)
        return .asAsked
    }

    static func files(in folder: String, of user: String?) -> [String] {
        if let user {
            let name = KeyFiles.recoveryKeyName(of: user)
            return access("\(folder)/\(name)", F_OK) == 0 ? [name] : []
        }
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(KeyFiles.recoveryKeyName(of: "")), !name.contains(".") { names.append(name) }
        }
        return names.sorted()
    }

    private struct Fault: Error { let reason: String }

    private static func read(_ path: String) -> Result<[UInt8], Fault> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return .failure(Fault(reason: String(cString: strerror(errno)))) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longestKey)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return .failure(Fault(reason: "it is empty")) }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self), !text.contains("\0") else {
            return .failure(Fault(reason: "it holds no key"))
        }
        return .success(Array(text.utf8) + (text.hasSuffix("\n") ? [] : [UInt8(ascii: "\n")]))
    }

    private static func writeOut(_ bytes: [UInt8]) -> Bool {
        signal(SIGPIPE, SIG_IGN)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func failed(_ text: String) -> Exit {
        Output.error.write("gifbot: \(text)\n")
        return .failed
    }
}
