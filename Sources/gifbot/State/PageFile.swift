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
    /// Pages kept until the file's digests are read anew: so many that taking them up never holds the loop.
    private static let mostFresh = 1000
    /// Digests of what was stored when it was last looked, and of some that went meanwhile; nil when that isn't known.
    private var stored: Set<UInt64>?
    /// Of what was kept since then.
    private var fresh: Set<UInt64> = []
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
        stored = access(path, F_OK) != 0 ? [] : nil
    }

    public func page(for key: SearchCacheKey) async -> StoredPage? {
        let key = StoredPageKey(key)
        for pages in [waiting, underWay] {
            if let write = pages.last(where: { $0.key == key }) { return write.page }
        }
        if let stored {
            guard stored.contains(key.digest) || fresh.contains(key.digest) else { return nil }
        } else {
            learn()
        }
        looks += 1
        return await database.page(for: key)
    }

    public func keep(_ page: StoredPage, for key: SearchCacheKey, until end: WallTime) {
        guard waiting.count < Self.mostWaiting else { return }
        let key = StoredPageKey(key)
        fresh.insert(key.digest)
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
        let isDue = fresh.count > Self.mostFresh && learning == nil
        writing = Loop.start { [database, underWay, entries] in
            await database.keep(underWay, entries: entries)
            if isDue { self.take(await database.digests()) }
            self.underWay = []
            self.writing = nil
            self.writeSoon()
        }
    }

    /// Until it is done, pages are looked for on the disk; when that can't be told, the next one that is looked for tries again.
    private func learn() {
        guard learning == nil else { return }
        learning = Loop.start { [database] in
            self.stored = await database.digests()
            self.learning = nil
        }
    }

    /// After a write: what isn't in the file by now is waiting, or is gone.
    private func take(_ found: Set<UInt64>?) {
        stored = found
        fresh = Set(waiting.lazy.map(\.key.digest))
    }
}
