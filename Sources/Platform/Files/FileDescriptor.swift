public import Glibc

/// An open file, closed when its owner lets go of it. Blocks as long as the disk does.
public struct FileDescriptor: ~Copyable, Sendable {
    let number: Int32

    /// Flags and mode are those of open(2); it is closed in child processes.
    public init(opening path: String, _ flags: Int32 = O_RDONLY, mode: mode_t = 0) throws(FileError) {
        let number = open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw .last }
        self.number = number
    }

    init(opening name: String, in folder: borrowing FileDescriptor, _ flags: Int32) throws(FileError) {
        let number = openat(folder.number, name, flags | O_CLOEXEC)
        guard number >= 0 else { throw .last }
        self.number = number
    }

    deinit { close(number) }

    public func stamp() throws(FileError) -> FileStamp {
        var info = stat()
        guard fstat(number, &info) == 0 else { throw .last }
        return FileStamp(info)
    }

    /// Where its owner is somebody else it stays as it is.
    public func setMode(_ mode: mode_t) {
        fchmod(number, mode)
    }

    /// Everything from here to the end, or an error: never a part.
    public func bytes(atMost limit: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        // A large file isn't copied to ever larger places.
        bytes.reserveCapacity(min(try stamp().bytes, limit))
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, 1 << 16))
        while true {
            let count = read(number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            if count == 0 { return bytes }
            guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
            bytes += chunk[..<count]
        }
    }

    /// Up to `count` bytes from `start` on; fewer at the end of the file, or where it can't be read.
    public func piece(from start: Int, upTo count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(number, buffer.baseAddress! + filled, count - filled, off_t(start + filled))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                filled += got
            }
        }
    }

    public func write(_ bytes: [UInt8]) throws(FileError) {
        try writeAll(bytes, to: number)
    }

    /// Returns when what was written is safe against a power cut.
    public func sync() throws(FileError) {
        guard fsync(number) == 0 else { throw .last }
    }

    /// Makes a rename in the folder of a file safe against a power cut, where the folder may be read.
    public static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try? FileDescriptor(opening: folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY).sync()
    }
}

/// Writes to what is open already, such as standard output, until all is written.
public func writeAll(_ bytes: [UInt8], to number: Int32) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw count == 0 ? .system(code: ENOSPC) : .last }
        rest = rest.dropFirst(count)
    }
}

/// Makes a file of these bytes. Nothing is left of it where it can't be had whole, and one that is there already stays as it is.
/// `isSynced`: returns when it is safe against a power cut.
public func makeFile(
    _ path: String, of bytes: [UInt8], mode: mode_t, isSynced: Bool = true
) throws(FileError) {
    let file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    do throws(FileError) {
        try file.write(bytes)
        if isSynced { try file.sync() }
    } catch {
        unlink(path)
        throw error
    }
}
