public import Base
public import GiphySearch
import Glibc

/// Pages of sources that may be stored, in a database of their own: it is only a cache, so whatever is wrong with it, it is thrown
/// away, and the state is never touched.
///
/// What is stored is known in memory, so a page that isn't there is not looked for. Pages are gathered for a second, or up to 128,
/// and written together: who kills the program loses those.
@Loop public final class PageFile: PageStore {
    private static let gather = Duration.seconds(1)
    private static let batch = 128
    /// Beyond it pages are let go of: the disk is slow.
    private static let mostWaiting = 256

    private let database: PageDatabase
    private let clock: any LoopClock
    private var entries = 5000
    /// Digests of what is stored, and of some that went meanwhile.
    private var known: Set<UInt64> = []
    private var knowsAll: Bool
    private(set) var learning: Task<Void, Never>?
    private var waiting: [PageWrite] = []
    private var underWay: [PageWrite] = []
    private(set) var writing: Task<Void, Never>?
    private var timer: TimerID?
    /// How often the disk was asked for a page.
    private(set) var looks = 0

    /// `folder` is the state folder, locked by this process.
    public init(folder: String, clock: any LoopClock, log: Log) {
        let path = folder + "/cache.db"
        self.clock = clock
        database = PageDatabase(path: path, log: log.area("state"))
        knowsAll = access(path, F_OK) != 0
    }

    public func page(for key: SearchCacheKey) async -> StoredPage? {
        let key = StoredPageKey(key)
        for pages in [waiting, underWay] {
            if let write = pages.last(where: { $0.key == key }) { return write.page }
        }
        if !knowsAll { learn() }
        guard !knowsAll || known.contains(key.digest) else { return nil }
        looks += 1
        return await database.page(for: key)
    }

    public func keep(_ page: StoredPage, for key: SearchCacheKey, until end: WallTime) {
        guard waiting.count < Self.mostWaiting else { return }
        let key = StoredPageKey(key)
        known.insert(key.digest)
        waiting.append(PageWrite(page: page, key: key, end: end))
        writeSoon()
    }

    public func limit(entries: Int) { self.entries = entries }

    /// Returns when everything handed over is written.
    public func close() async {
        while !waiting.isEmpty || writing != nil {
            write()
            await writing?.value
        }
        if let timer { clock.cancel(timer) }
        timer = nil
        await database.close()
    }

    private func writeSoon() {
        guard waiting.count < Self.batch else { return write() }
        guard timer == nil, !waiting.isEmpty else { return }
        timer = clock.schedule(at: clock.now.advanced(by: Self.gather)) { [weak self] in
            self?.timer = nil
            self?.write()
        }
    }

    private func write() {
        guard writing == nil, !waiting.isEmpty else { return }
        underWay = waiting
        waiting = []
        writing = Loop.start { [database, underWay, entries] in
            await database.keep(underWay, entries: entries)
            self.underWay = []
            self.writing = nil
            self.writeSoon()
        }
        // Most of them went meanwhile, and the names of what is left are read again.
        if known.count > 2 * max(entries, 1000) {
            known = []
            knowsAll = false
        }
    }

    /// Until it is done, pages are looked for on the disk.
    private func learn() {
        guard learning == nil else { return }
        learning = Loop.start { [database] in
            let found = await database.digests()
            self.known.formUnion(found ?? [])
            self.knowsAll = true
            self.learning = nil
        }
    }
}
