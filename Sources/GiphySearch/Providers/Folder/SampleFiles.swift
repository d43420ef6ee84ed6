import CSamples
import Glibc

/// The small collection inside the program.
enum SampleFiles {
    static let names: [String] = (0..<Int(gifbot_sample_count)).map { String(cString: sample($0).name) }

    static func bytes(of place: Int) -> UnsafeBufferPointer<UInt8> {
        let sample = sample(place)
        return UnsafeBufferPointer(start: sample.bytes, count: sample.length)
    }

    /// Writes what isn't there yet. Each file appears whole or not at all, since another process may look at the folder.
    @Sendable static func write(to folder: String) throws(FolderError) {
        try makeFolder(folder)
        for (place, name) in names.enumerated() {
            let (path, bytes) = (folder + "/" + name, bytes(of: place))
            var info = stat()
            if stat(path, &info) == 0, Int(info.st_size) == bytes.count { continue }
            let draft = folder + "/." + name + ".\(getpid())"
            try write(bytes, to: draft)
            guard rename(draft, path) == 0 else {
                let code = errno
                unlink(draft)
                throw FolderError("can't write the samples", errno: code)
            }
        }
    }

    private static func sample(_ place: Int) -> gifbot_sample {
        gifbot_sample_at(place)
    }

    /// With its parents.
    private static func makeFolder(_ path: String) throws(FolderError) {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw FolderError("can't make the folder for the samples", errno: errno)
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw FolderError("can't make the folder for the samples", errno: errno)
        }
    }

    private static func write(_ bytes: UnsafeBufferPointer<UInt8>, to path: String) throws(FolderError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FolderError("can't write the samples", errno: errno) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
            guard count > 0 else {
                let code = count == 0 ? ENOSPC : errno
                unlink(path)
                throw FolderError("can't write the samples", errno: code)
            }
            written += count
        }
    }
}
