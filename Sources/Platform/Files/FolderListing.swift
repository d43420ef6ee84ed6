import Glibc

/// The names in a folder, in the system's order, `.` and `..` among them. One that can't be read further ends early.
public final class FolderListing: Sequence, IteratorProtocol {
    public struct Entry: Sendable {
        /// Nil where it isn't UTF-8.
        public let name: String?
        /// Nil where the file system leaves it open. A link is no folder.
        public let isFolder: Bool?
    }

    private let folder: OpaquePointer

    public init(_ path: String) throws(FileError) {
        guard let folder = opendir(path) else { throw .last }
        self.folder = folder
    }

    deinit { closedir(folder) }

    /// For the `…at` calls; open as long as the listing is.
    public var descriptor: Int32 { dirfd(folder) }

    public func next() -> Entry? {
        guard let entry = readdir(folder) else { return nil }
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let kind = Int(entry.pointee.d_type)
        return Entry(name: name, isFolder: kind == Int(DT_UNKNOWN) ? nil : kind == Int(DT_DIR))
    }
}
