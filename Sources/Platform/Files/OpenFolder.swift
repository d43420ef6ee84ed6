import Glibc

/// A folder from which files are opened that lie in it or below it, whatever links stand there: a folder that came from elsewhere
/// may hold one that leads out of it.
///
/// The folder may itself be reached by links, and links from one place in it to another are followed. It blocks as long as the disk
/// does.
public final class OpenFolder: Sendable {
    /// Without links in it, as it was when it was opened.
    private let path: String
    private let descriptor: FileDescriptor

    public init(_ path: String) throws(FileError) {
        self.path = try Self.real(path)
        descriptor = try FileDescriptor(opening: self.path, Self.onlyPlace | O_DIRECTORY | O_NOFOLLOW)
    }

    /// `O_PATH`, which the C library's headers show to GNU programs alone; the number is Linux's for all but three old machines
    /// (open(2), asm-generic/fcntl.h).
    private static let onlyPlace: Int32 = 0o10000000

    /// A file to read. `name` is below the folder, with slashes between its steps. A named pipe doesn't block.
    public func file(_ name: String) throws(FileError) -> FileDescriptor {
        do throws(FileError) {
            return try reach(name)
        } catch {
            // There may be a link on the way. It is looked up first, so that nothing outside is even opened; the way that it stands
            // for has no links, and is gone step by step again, since others may change it meanwhile.
            guard error == .system(code: ELOOP) || error == .system(code: ENOTDIR) else { throw error }
            let real = try Self.real(path + "/" + name)
            let inside = path == "/" ? path : path + "/"
            guard real.hasPrefix(inside) else { throw .system(code: ENOENT) }
            return try reach(String(real.dropFirst(inside.count)))
        }
    }

    private func reach(_ name: String) throws(FileError) -> FileDescriptor {
        let steps = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard steps.allSatisfy({ $0 != "" && $0 != "." && $0 != ".." }) else { throw .system(code: ENOENT) }
        return try Self.reach(steps[...], from: descriptor)
    }

    /// Follows no link.
    private static func reach(
        _ steps: ArraySlice<String>, from folder: borrowing FileDescriptor
    ) throws(FileError) -> FileDescriptor {
        guard let step = steps.first, steps.count > 1 else {
            return try FileDescriptor(opening: steps.first ?? "", in: folder, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
        }
        let next = try FileDescriptor(opening: step, in: folder, onlyPlace | O_DIRECTORY | O_NOFOLLOW)
        return try reach(steps.dropFirst(), from: next)
    }

    private static func real(_ path: String) throws(FileError) -> String {
        guard let real = realpath(path, nil) else { throw .last }
        defer { free(real) }
        return String(cString: real)
    }
}
