import Glibc

/// A small file that only its owner may read: whole or not there, also after a power cut.
enum OwnerFile {
    enum Reading: Equatable {
        case bytes([UInt8])
        case absent
        /// In the system's words.
        case failed(String)
    }

    /// The old file stays until the new one is safe on disk. Nil is success; else the reason.
    static func replace(_ path: String, with bytes: [UInt8]) -> String? {
        let temporary = path + ".new"
        unlink(temporary)
        guard writeWhole(bytes, to: temporary), rename(temporary, path) == 0 else {
            let reason = systemText(errno)
            unlink(temporary)
            return reason
        }
        syncFolder(of: path)
        return nil
    }

    /// Mode 600 is set right where it isn't.
    static func read(_ path: String, atMost limit: Int) -> Reading {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT ? .absent : .failed(systemText(errno)) }
        defer { close(file) }
        fchmod(file, 0o600)
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { return .failed(systemText(errno)) }
        guard count < limit else { return .failed("too long") }
        return .bytes(Array(bytes[..<count]))
    }

    /// Nil is success; else the reason.
    static func remove(_ path: String) -> String? {
        guard unlink(path) == 0 else { return errno == ENOENT ? nil : systemText(errno) }
        syncFolder(of: path)
        return nil
    }

    /// Makes a rename itself safe against a power cut.
    static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func writeWhole(_ bytes: [UInt8], to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        // One write is enough for so few bytes, and anything less is a fault.
        let isWhole = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let reason = errno
        let isClosed = close(file) == 0
        if !isWhole { errno = reason }
        return isWhole && isClosed
    }
}
