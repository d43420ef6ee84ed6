import Bot
import Files
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
        do throws(FileError) {
            key = try FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW).bytes(atMost: Self.longestKey)
        } catch {
            return failed("can't read \(path): \(error)")
        }
        guard !key.isEmpty else { return failed("can't read \(path): it is empty") }
        guard let text = String(validating: key, as: UTF8.self), !text.contains("\0") else {
            return failed("can't read \(path): it holds no key")
        }
        // Gone only when somebody has it.
        signal(SIGPIPE, SIG_IGN)
        do throws(FileError) {
            try writeAll(Array(text.utf8) + (text.hasSuffix("\n") ? [] : [UInt8(ascii: "\n")]), to: STDOUT_FILENO)
        } catch {
            return failed("the key couldn't be written out (\(error)); its file stays")
        }
        guard unlink(path) == 0 else {
            return failed("can't remove \(path): \(systemText(errno)); remove it by hand")
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
        guard let entries = try? FolderListing(folder) else { return [] }
        let prefix = KeyFiles.recoveryKeyName(of: "")
        return entries.compactMap(\.name).filter { $0.hasPrefix(prefix) && !$0.contains(".") }.sorted()
    }

    private func failed(_ text: String) -> Exit {
        Output.error.write("gifbot: \(text)\n")
        return .failed
    }
}
