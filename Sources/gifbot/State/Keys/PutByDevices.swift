import Glibc

/// The files of devices whose keys lie beside those in use (`keys-ACCOUNT.db.of-DEVICE`), until they come back. The newest few
/// stay.
struct PutByDevices {
    private static let most = 3

    let folder: String
    /// The path of the file in use.
    let database: String

    func path(of device: String) -> String { database + ".of-" + AccountFileName.spelled(device) }

    /// `own` takes the place of the file in use, which gets the name `other`. Both are closed, with everything in the one file.
    /// Nil is success; else the reason.
    func exchange(_ own: String, putting other: String) -> String? {
        for path in [own, database] {
            var status = stat()
            if stat(path + "-wal", &status) == 0, status.st_size > 0 { return "it is in use by another process" }
        }
        for step in steps(own, other) { if let reason = step() { return reason } }
        OwnerFile.syncFolder(of: database)
        return nil
    }

    /// The program may be killed between any two.
    func steps(_ own: String, _ other: String) -> [() -> String?] {
        [
            { unlink(other) == 0 || errno == ENOENT ? nil : systemText(errno) },
            // A second name first, so that the place is never empty; where a file can't have two, it is for a moment.
            {
                if link(database, other) != 0, rename(database, other) != 0 { return systemText(errno) }
                OwnerFile.syncFolder(of: database)
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

    func letOldGo(except newest: String) {
        let prefix = database.dropFirst(folder.utf8.count + 1) + ".of-"
        var found: [(time: Int, path: String)] = []
        for name in fileNames(in: folder, beginningWith: String(prefix)) {
            let path = "\(folder)/\(name)"
            var status = stat()
            guard !name.hasSuffix("-wal"), !name.hasSuffix("-shm"), path != newest,
                stat(path, &status) == 0
            else { continue }
            found.append((status.st_mtim.tv_sec, path))
        }
        for old in found.sorted(by: { ($0.time, $0.path) > ($1.time, $1.path) }).dropFirst(Self.most - 1) {
            for side in ["", "-wal", "-shm"] { unlink(old.path + side) }
        }
    }
}
