import Base
import Files
import Glibc
import Images

/// Why a folder or its index can't be read or written; the system's own words.
public struct FolderError: Error, Equatable {
    let reason: String

    public init(reason: String) {
        self.reason = reason
    }

    init(_ doing: String, errno code: Int32) {
        reason = "\(doing): \(String(cString: strerror(code)))"
    }
}

/// Reads a folder and the headers of its files. Everything here blocks, so it runs on a queue of its own and never on the loop.
actor FolderReader {
    /// Files beyond these are left out, in the order in which the system lists them.
    static let maximumFiles = 100_000
    /// Between two looks at the folder, so that a busy channel doesn't keep the disk busy.
    private static let restBetweenLooks = Duration.seconds(5)

    /// What tells a file, or a folder, from its later self.
    fileprivate struct Stamp: Equatable {
        let seconds: Int
        let nanoseconds: Int
        let bytes: Int
        let inode: UInt
    }

    fileprivate struct Known {
        let stamp: Stamp
        /// Nil for what is no animation.
        let file: FolderFile?
    }

    private let executor = QueueExecutor(label: "folder")
    private let path: String
    private let clock: any LoopClock
    private let log: Log?
    private let prepare: @Sendable (String) throws(FolderError) -> Void
    private let catalogOpener: FolderCatalogOpener?
    private var catalog: (any FolderCatalog)?
    private var catalogStamp: UInt64?
    /// Of the last index that could not be read.
    private var unreadableStamp: UInt64?
    private var isPrepared = false
    private var known: [String: Known] = [:]
    private var index = FolderIndex()
    private var folderStamp: Stamp?
    private var lastLook: Instant?
    /// Goes up with each change found.
    private(set) var generation = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `prepare` runs before the first look (the samples are written there).
    /// With a catalog the folder itself is only read while there is no index of it.
    init(
        path: String, clock: any LoopClock, log: Log? = nil, catalog: FolderCatalogOpener? = nil,
        prepare: @escaping @Sendable (String) throws(FolderError) -> Void = { (_) throws(FolderError) in }
    ) {
        self.path = path
        self.clock = clock
        self.log = log
        self.prepare = prepare
        catalogOpener = catalog
    }

    /// What is found, and the generation of the index it comes from.
    struct Answer: Sendable {
        let files: [FolderFile]
        let isMore: Bool
        let generation: Int
    }

    func files(for request: PageRequest, from offset: Int, atMost limit: Int) throws(FolderError) -> Answer {
        try refresh()
        if catalogStamp != nil, let catalog {
            do throws(FolderError) {
                let found = try catalog.files(for: request, from: offset, atMost: limit)
                return Answer(files: found.files, isMore: found.isMore, generation: generation)
            } catch {
                // As good as none, until it is another one: the folder is looked at, with the same rests as without an index.
                log?.warning(
                    "the index of a folder can't be read, looking at the folder itself",
                    ["folder": path, "reason": error.reason])
                unreadableStamp = catalogStamp
                lastLook = nil
            }
            try refresh()
        }
        let found = index.files(for: request, from: offset, atMost: limit)
        return Answer(files: found.files, isMore: found.isMore, generation: generation)
    }

    /// Looks whether something changed, if the last look is some time ago.
    func refresh() throws(FolderError) {
        let now = clock.now
        if let lastLook, lastLook.advanced(by: Self.restBetweenLooks) > now { return }
        if !isPrepared {
            try prepare(path)
            isPrepared = true
        }
        let stamp = try folderStampNow()
        lastLook = now
        if isIndexed() { return }
        guard stamp != folderStamp else { return }
        try readAll()
        // The stamp of a folder that has just changed may be shared by the next change: it is not trusted.
        folderStamp = abs(time(nil) - stamp.seconds) > 2 ? stamp : nil
    }

    /// Whether there is an index; a new one counts as a change of the folder.
    private func isIndexed() -> Bool {
        guard let catalogOpener else { return false }
        let catalog = catalog ?? catalogOpener(path)
        self.catalog = catalog
        let latest = catalog.stamp()
        let stamp = latest == unreadableStamp ? nil : latest
        if stamp != catalogStamp {
            catalogStamp = stamp
            folderStamp = nil
            generation += 1
        }
        return stamp != nil
    }

    private func folderStampNow() throws(FolderError) -> Stamp {
        var info = stat()
        guard stat(path, &info) == 0 else { throw FolderError("can't read the folder", errno: errno) }
        guard info.st_mode & S_IFMT == S_IFDIR else { throw FolderError("can't read the folder", errno: ENOTDIR) }
        return Stamp(info)
    }

    private func readAll() throws(FolderError) {
        guard let folder = opendir(path) else { throw FolderError("can't read the folder", errno: errno) }
        defer { closedir(folder) }
        guard let files = OpenFolder(path) else { throw FolderError("can't read the folder", errno: errno) }
        var found: [String: Known] = [:]
        while found.count < Self.maximumFiles, let entry = readdir(folder) {
            guard let name = entry.pointee.name, AnimatedFile.isCandidate(name), let known = look(at: name, in: files)
            else {
                continue
            }
            found[name] = known
        }
        let moving = found.values.compactMap(\.file)
        if moving.count != index.files.count || FolderIndex.hasOther(moving, than: index) {
            index = FolderIndex(moving)
            generation += 1
        }
        known = found
    }

    /// Nil for what is no regular file, or can't be read, or lies elsewhere.
    private func look(at name: String, in files: OpenFolder) -> Known? {
        guard let descriptor = files.file(name) else { return nil }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        let stamp = Stamp(info)
        if let old = known[name], old.stamp == stamp { return old }
        guard let header = AnimatedFile.header(of: descriptor, bytes: stamp.bytes), header.isAnimated else {
            return Known(stamp: stamp, file: nil)
        }
        let file = FolderFile(
            name: name, width: header.width, height: header.height, byteCount: stamp.bytes, format: header.format,
            changed: stamp.seconds)
        return Known(stamp: stamp, file: file)
    }
}

extension FolderIndex {
    fileprivate static func hasOther(_ files: [FolderFile], than index: FolderIndex) -> Bool {
        let sorted = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return sorted != index.files
    }
}

extension FolderReader.Stamp {
    fileprivate init(_ info: stat) {
        // Seconds and nanoseconds of `struct timespec`, read by their place: its fields count as another module's, or not, depending
        // on what is compiled beside this file.
        let time = withUnsafeBytes(of: info.st_mtim) { raw in
            (raw.loadUnaligned(as: Int.self), raw.loadUnaligned(fromByteOffset: MemoryLayout<Int>.size, as: Int.self))
        }
        self.init(seconds: time.0, nanoseconds: time.1, bytes: Int(info.st_size), inode: UInt(info.st_ino))
    }
}

extension dirent {
    /// Nil when it isn't UTF-8: such a file couldn't be named in an answer.
    fileprivate var name: String? {
        withUnsafeBytes(of: d_name) { String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
