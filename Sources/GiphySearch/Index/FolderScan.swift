import Files
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
        guard depth < Self.deepest, let entries = try? FolderListing(folder) else {
            troubles.append("\(prefix.isEmpty ? folder : prefix): can't be read")
            return
        }
        for entry in entries {
            guard let name = entry.name else {
                troubles.append("\(prefix): a name that is not UTF-8")
                continue
            }
            guard !name.hasPrefix(".") else { continue }
            guard entry.isFolder != false || AnimatedFile.isCandidate(name) else { continue }
            if entry.isFolder == true {
                scan(folder + "/" + name, below: prefix + name + "/", depth: depth + 1)
            } else {
                look(at: name, in: entries.descriptor, folder, prefix, depth)
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
        let stamp = FileStamp(info)
        files.append(
            ScannedFile(
                name: prefix + name, bytes: stamp.bytes, seconds: stamp.seconds, nanoseconds: stamp.nanoseconds))
    }
}
