import Files
import Glibc
import Synchronization

/// The folder that holds everything the bot remembers, locked until `unlock`.
final class StateFolder: Sendable {
    static let database = "gifbot.db"

    let path: String
    private let lock: Mutex<Int32?>

    /// Makes the folder (mode 700) if it isn't there.
    init(_ path: String) throws(StateError) {
        self.path = path
        try Self.make(path)
        let lock = try Self.openLock(in: path)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let process = Self.process(lock)
            close(lock)
            guard reason == EWOULDBLOCK else { throw .unusable(folder: path, reason: systemText(reason)) }
            throw .inUse(folder: path, process: process)
        }
        // The number is for people; on a full disk the lock holds without it.
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(lock, 0)
        _ = pwrite(lock, text, text.count, 0)
        self.lock = Mutex(lock)
    }

    deinit {
        unlock()
    }

    func unlock() {
        lock.withLock { lock in
            if let held = lock { close(held) }
            lock = nil
        }
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// Moves a database that can't be read out of the way, with its side files; tells the name it has now.
    func setAside(_ name: String) -> String? {
        for number in 1...1000 {
            let broken = "\(name).broken-\(number)"
            guard access(file(broken), F_OK) != 0 else { continue }
            guard rename(file(name), file(broken)) == 0 else { return nil }
            for side in ["-wal", "-shm", "-journal"] { _ = rename(file(name + side), file(broken + side)) }
            return broken
        }
        return nil
    }

    func names() -> [String] {
        guard let entries = try? FolderListing(path) else { return [] }
        return entries.compactMap(\.name).sorted()
    }

    private static func make(_ path: String) throws(StateError) {
        guard !path.isEmpty else { throw .unusable(folder: path, reason: "no name given") }
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            guard mkdir(String(path[..<end]), 0o700) != 0, errno != EEXIST, end == path.endIndex else { continue }
            throw .unusable(folder: path, reason: systemText(errno))
        }
    }

    /// A file to lock; on a full or read-only disk, where none can be made, the folder itself.
    private static func openLock(in path: String) throws(StateError) -> Int32 {
        let file = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { return file }
        let reason = errno
        if [EROFS, ENOSPC, EDQUOT].contains(reason) {
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if folder >= 0 { return folder }
        }
        throw .unusable(folder: path, reason: systemText(reason))
    }

    private static func process(_ lock: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
    }
}
