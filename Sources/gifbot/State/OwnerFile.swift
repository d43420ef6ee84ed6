import Files
import Glibc

/// A small file that only its owner may read: whole or not there, also after a power cut.
enum OwnerFile {
    /// The old file stays until the new one is safe on disk.
    static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        let temporary = path + ".new"
        unlink(temporary)
        try makeFile(temporary, of: bytes, mode: 0o600)
        guard rename(temporary, path) == 0 else {
            let error = FileError.last
            unlink(temporary)
            throw error
        }
        FileDescriptor.syncFolder(of: path)
    }

    /// Nil where there is none. Mode 600 is set right where it isn't.
    static func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            let file = try FileDescriptor(opening: path)
            file.setMode(0o600)
            return try file.bytes(atMost: limit)
        } catch {
            guard error == .system(code: ENOENT) else { throw error }
            return nil
        }
    }

    /// One that isn't there is as good as removed.
    static func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 else {
            let error = FileError.last
            guard error == .system(code: ENOENT) else { throw error }
            return
        }
        FileDescriptor.syncFolder(of: path)
    }
}
