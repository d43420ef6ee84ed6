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

    init(_ doing: String, _ error: FileError) {
        reason = "\(doing): \(error)"
    }
}

/// Reads a folder and the headers of its files. Everything here blocks, so it runs on a queue of its own and never on the loop.
actor FolderReader {
    /// Files beyond these are left out, in the order in which the system lists them.
    static let maximumFiles = 100_000
    /// Between two looks at the folder, so that a busy channel doesn't keep the disk busy.
    private static let restBetweenLooks = Duration.seconds(5)

    fileprivate struct Known {
        let stamp: FileStamp
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
    private var folderStamp: FileStamp?
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

    private func folderStampNow() throws(FolderError) -> FileStamp {
        do throws(FileError) {
            let stamp = try FileStamp(of: path)
            guard stamp.isFolder else { throw .system(code: ENOTDIR) }
            return stamp
        } catch {
            throw FolderError("can't read the folder", error)
        }
    }

    private func readAll() throws(FolderError) {
        let found: [String: Known]
        do throws(FileError) {
            found = try look(at: FolderListing(path), in: OpenFolder(path))
        } catch {
            throw FolderError("can't read the folder", error)
        }
        let moving = found.values.compactMap(\.file)
        if moving.count != index.files.count || FolderIndex.hasOther(moving, than: index) {
            index = FolderIndex(moving)
            generation += 1
        }
        known = found
    }

    private func look(at entries: FolderListing, in files: OpenFolder) -> [String: Known] {
        var found: [String: Known] = [:]
        while found.count < Self.maximumFiles, let entry = entries.next() {
            // One whose name isn't UTF-8 couldn't be named in an answer.
            guard let name = entry.name, AnimatedFile.isCandidate(name) else { continue }
            found[name] = try? look(at: name, in: files)
        }
        return found
    }

    private func look(at name: String, in files: OpenFolder) throws(FileError) -> Known {
        let file = try files.file(name)
        let stamp = try file.stamp()
        guard stamp.isFile else { throw .notAFile }
        if let old = known[name], old.stamp == stamp { return old }
        guard let header = AnimatedFile.header(of: file, bytes: stamp.bytes), header.isAnimated else {
            return Known(stamp: stamp, file: nil)
        }
        let found = FolderFile(
            name: name, width: header.width, height: header.height, byteCount: stamp.bytes, format: header.format,
            changed: stamp.seconds)
        return Known(stamp: stamp, file: found)
    }
}

extension FolderIndex {
    fileprivate static func hasOther(_ files: [FolderFile], than index: FolderIndex) -> Bool {
        let sorted = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return sorted != index.files
    }
}
