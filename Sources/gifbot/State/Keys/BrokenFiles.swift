import Glibc

/// Databases that couldn't be read (`keys-ACCOUNT.db.broken-NUMBER`). The newest few stay, for somebody who can get something out
/// of them; a machine that breaks each one doesn't fill the disk with them.
struct BrokenFiles {
    private static let most = 10

    let folder: String
    /// Without the number.
    let prefix: String

    /// The name that the file has now, and of those that went for it. Nil when it can't be moved.
    func add(_ path: String) -> (name: String, gone: [String])? {
        let known = fileNames(in: folder, beginningWith: prefix).compactMap { Int($0.dropFirst(prefix.utf8.count)) }
        let number = (known.max() ?? 0) + 1
        let name = "\(prefix)\(number)"
        guard number > 0, rename(path, "\(folder)/\(name)") == 0 else { return nil }
        for side in ["-wal", "-shm", "-journal"] { _ = rename(path + side, "\(folder)/\(name)\(side)") }
        var gone: [String] = []
        for old in known.sorted() where old <= number - Self.most {
            guard unlink("\(folder)/\(prefix)\(old)") == 0 else { continue }
            for side in ["-wal", "-shm", "-journal"] { unlink("\(folder)/\(prefix)\(old)\(side)") }
            gone.append("\(prefix)\(old)")
        }
        return (name, gone)
    }
}
