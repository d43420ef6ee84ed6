public import Glibc

/// What tells a file or folder from its later self.
public struct FileStamp: Hashable, Sendable {
    public let bytes: Int
    /// When its content changed last, since 1970.
    public let seconds: Int
    public let nanoseconds: Int
    public let inode: UInt
    private let device: UInt
    private let mode: mode_t
    /// When its owner, mode or names changed last.
    private let statusSeconds: Int
    private let statusNanoseconds: Int

    public init(_ info: stat) {
        bytes = Int(info.st_size)
        seconds = info.st_mtim.tv_sec
        nanoseconds = info.st_mtim.tv_nsec
        inode = UInt(info.st_ino)
        device = UInt(info.st_dev)
        mode = info.st_mode
        statusSeconds = info.st_ctim.tv_sec
        statusNanoseconds = info.st_ctim.tv_nsec
    }

    /// Of what the path leads to.
    public init(of path: String) throws(FileError) {
        var info = stat()
        guard stat(path, &info) == 0 else { throw .last }
        self.init(info)
    }

    public var isFile: Bool { mode & S_IFMT == S_IFREG }
    public var isFolder: Bool { mode & S_IFMT == S_IFDIR }
}
