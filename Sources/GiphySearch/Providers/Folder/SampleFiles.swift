import CSamples
import Files
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
            if let stamp = try? FileStamp(of: path), stamp.bytes == bytes.count { continue }
            let draft = folder + "/." + name + ".\(getpid())"
            unlink(draft)
            do throws(FileError) {
                try makeFile(draft, of: Array(bytes), mode: 0o644, isSynced: false)
                guard rename(draft, path) == 0 else { throw .last }
            } catch {
                unlink(draft)
                throw FolderError("can't write the samples", error)
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
            throw FolderError("can't make the folder for the samples", .last)
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw FolderError("can't make the folder for the samples", .last)
        }
    }
}
