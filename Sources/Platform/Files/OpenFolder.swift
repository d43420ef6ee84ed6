import Glibc

/// A folder from which files are opened that lie in it or below it, whatever links stand there: a folder that came from elsewhere
/// may hold one that leads out of it.
///
/// The folder may itself be reached by links, and links from one place in it to another are followed. It blocks as long as the disk
/// does.
public final class OpenFolder: Sendable {
    /// Without links in it, as it was when it was opened.
    private let path: String
    private let descriptor: Int32

    /// Nil where there is no such folder.
    public init?(_ path: String) {
        guard let real = Self.real(path) else { return nil }
        let descriptor = open(real, Self.onlyPlace | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        self.path = real
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// `O_PATH`, which the C library's headers show to GNU programs alone; the number is Linux's for all but three old machines
    /// (open(2), asm-generic/fcntl.h).
    private static let onlyPlace: Int32 = 0o10000000

    /// A descriptor of a file, to read; the caller closes it. Nil where there is none below the folder. `name` is below the folder,
    /// with slashes between its steps. A named pipe doesn't block.
    public func file(_ name: String) -> Int32? {
        if let found = reach(name) { return found }
        // There may be a link on the way. It is looked up first, so that nothing outside is even opened; the way that it stands for
        // has no links, and is gone step by step again, since others may change it meanwhile.
        guard errno == ELOOP || errno == ENOTDIR, let real = Self.real(path + "/" + name) else { return nil }
        let inside = path == "/" ? path : path + "/"
        guard real.hasPrefix(inside) else { return nil }
        return reach(String(real.dropFirst(inside.count)))
    }

    /// Follows no link; `errno` tells why it failed.
    private func reach(_ name: String) -> Int32? {
        var steps = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard let last = steps.popLast(), (steps + [last]).allSatisfy({ $0 != "" && $0 != "." && $0 != ".." }) else {
            errno = ENOENT
            return nil
        }
        var folder = descriptor
        for step in steps {
            let next = openat(folder, step, Self.onlyPlace | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            let code = errno
            if folder != descriptor { close(folder) }
            errno = code
            guard next >= 0 else { return nil }
            folder = next
        }
        let found = openat(folder, last, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        let code = errno
        if folder != descriptor { close(folder) }
        errno = code
        return found >= 0 ? found : nil
    }

    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
