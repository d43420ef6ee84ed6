import Files
import Glibc
import MatrixCrypto

/// The files of devices whose keys lie beside those in use (`keys-ACCOUNT.db.of-DEVICE`), until they come back. The newest few
/// stay.
struct PutByDevices {
    private static let most = 3

    let folder: String
    /// The path of the file in use.
    let database: String

    func path(of device: String) -> String { database + ".of-" + AccountFileName.spelled(device) }

    /// `own` takes the place of the file in use, which gets the name `other`. Both are closed, with everything in the one file.
    func exchange(_ own: String, putting other: String) throws(CryptoError) {
        for path in [own, database] {
            guard let log = try? FileStamp(of: path + "-wal") else { continue }
            guard log.bytes == 0 else { throw fault("it is in use by another process") }
        }
        for step in steps(own, other) { if let reason = step() { throw fault(reason) } }
        FileDescriptor.syncFolder(of: database)
    }

    /// The program may be killed between any two. Each tells what went wrong.
    func steps(_ own: String, _ other: String) -> [() -> String?] {
        [
            { unlink(other) == 0 || errno == ENOENT ? nil : systemText(errno) },
            // A second name first, so that the place is never empty; where a file can't have two, it is for a moment.
            {
                if link(database, other) != 0, rename(database, other) != 0 { return systemText(errno) }
                FileDescriptor.syncFolder(of: database)
                return nil
            },
            { rename(own, database) == 0 ? nil : systemText(errno) },
            // They belong to no file any more.
            {
                for path in [own, other, database] {
                    for side in ["-wal", "-shm"] { unlink(path + side) }
                }
                return nil
            },
        ]
    }

    private var file: Substring { database.dropFirst(folder.utf8.count + 1) }

    private func fault(_ reason: String) -> CryptoError { .store("can't rename \(file): \(reason)") }

    func letOldGo(except newest: String) {
        var found: [(time: Int, path: String)] = []
        for name in fileNames(in: folder, beginningWith: file + ".of-") {
            let path = "\(folder)/\(name)"
            guard !name.hasSuffix("-wal"), !name.hasSuffix("-shm"), path != newest,
                let stamp = try? FileStamp(of: path)
            else { continue }
            found.append((stamp.seconds, path))
        }
        for old in found.sorted(by: { ($0.time, $0.path) > ($1.time, $1.path) }).dropFirst(Self.most - 1) {
            for side in ["", "-wal", "-shm"] { unlink(old.path + side) }
        }
    }
}
