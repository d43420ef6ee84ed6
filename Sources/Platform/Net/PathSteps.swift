import Glibc

/// What a path leads over, symbolic links included: each name that decides where it ends, in the folder that holds it.
/// When one of these entries is made, removed or replaced, the path may lead elsewhere.
struct PathSteps: Equatable {
    /// Names by the folder they stand in.
    private(set) var names: [String: Set<String>] = [:]
    /// What the path leads to at last; nil where it ends before.
    private(set) var end: String?

    /// Links followed, as the kernel counts them.
    private static let mostLinks = 40

    /// `path` is absolute. What can't be read ends the way, as a missing entry does.
    init(_ path: String) {
        var rest = Self.parts(path)
        var folder = "/"
        var links = 0
        while let name = rest.popFirst() {
            if name == ".." {
                folder = Self.parent(of: folder)
                continue
            }
            names[folder, default: []].insert(name)
            let here = folder == "/" ? "/" + name : folder + "/" + name
            guard let target = Self.link(at: here) else {
                if rest.isEmpty {
                    end = access(here, F_OK) == 0 ? here : nil
                    return
                }
                folder = here
                continue
            }
            links += 1
            guard links <= Self.mostLinks else { return }
            if target.hasPrefix("/") { folder = "/" }
            rest = Self.parts(target) + rest
        }
        end = folder
    }

    private static func parts(_ path: String) -> ArraySlice<String> {
        path.split(separator: "/").map(String.init).filter { $0 != "." }[...]
    }

    private static func parent(of folder: String) -> String {
        guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else { return "/" }
        return String(folder[..<slash])
    }

    private static func link(at path: String) -> String? {
        var target = [UInt8](repeating: 0, count: 4096)
        let count = target.withUnsafeMutableBytes { buffer in
            readlink(path, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return count > 0 ? String(decoding: target[..<count], as: UTF8.self) : nil
    }
}
