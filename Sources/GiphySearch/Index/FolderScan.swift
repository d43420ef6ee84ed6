import GiphySearch
import Glibc

/// A file that may be one, as the folder lists it.
struct ScannedFile: Equatable, Sendable {
    /// Below the folder.
    let name: String
    let bytes: Int
    let seconds: Int
    let nanoseconds: Int
}

/// Goes through a folder and those in it. Hidden entries are passed over, linked folders not followed.
struct FolderScan {
    private(set) var files: [ScannedFile] = []
    /// Folders that can't be read, and files whose names are not UTF-8: told and passed over.
    private(set) var troubles: [String] = []

    private static let deepest = 32

    init(_ folder: String) {
        scan(folder, below: "", depth: 0)
        files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private mutating func scan(_ folder: String, below prefix: String, depth: Int) {
        guard depth < Self.deepest, let handle = opendir(folder) else {
            troubles.append("\(prefix.isEmpty ? folder : prefix): can't be read")
            return
        }
        defer { closedir(handle) }
        let descriptor = dirfd(handle)
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name else {
                troubles.append("\(prefix): a name that is not UTF-8")
                continue
            }
            guard !name.hasPrefix(".") else { continue }
            let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
            guard isFolder || AnimatedFile.isCandidate(name) || entry.pointee.d_type == UInt8(DT_UNKNOWN) else {
                continue
            }
            if isFolder {
                scan(folder + "/" + name, below: prefix + name + "/", depth: depth + 1)
            } else {
                look(at: name, in: descriptor, folder, prefix, depth)
            }
        }
    }

    private mutating func look(
        at name: String, in descriptor: Int32, _ folder: String, _ prefix: String, _ depth: Int
    ) {
        var info = stat()
        guard fstatat(descriptor, name, &info, 0) == 0 else { return }
        if info.st_mode & S_IFMT == S_IFDIR {
            // A link to a folder could lead in a circle.
            var link = stat()
            guard fstatat(descriptor, name, &link, AT_SYMLINK_NOFOLLOW) == 0, link.st_mode & S_IFMT == S_IFDIR else {
                return
            }
            return scan(folder + "/" + name, below: prefix + name + "/", depth: depth + 1)
        }
        guard info.st_mode & S_IFMT == S_IFREG, AnimatedFile.isCandidate(name) else { return }
        // The fields of `struct timespec` count as another module's, depending on what is compiled beside this file.
        let time = withUnsafeBytes(of: info.st_mtim) { raw in
            (raw.loadUnaligned(as: Int.self), raw.loadUnaligned(fromByteOffset: MemoryLayout<Int>.size, as: Int.self))
        }
        files.append(
            ScannedFile(name: prefix + name, bytes: Int(info.st_size), seconds: time.0, nanoseconds: time.1))
    }
}
