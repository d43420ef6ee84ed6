public import Base
public import GiphySearch

/// Pages of sources that may be stored, in a database of their own: it is only a cache, so whatever is wrong with it, it is thrown
/// away, and the state is never touched.
@Loop public final class PageFile: PageStore {
    /// Beyond it pages are let go of: the disk is slow.
    private static let mostWrites = 64

    private let database: PageDatabase
    private var writes = 0

    /// `folder` is the state folder, locked by this process.
    public init(folder: String, log: Log) {
        database = PageDatabase(path: folder + "/cache.db", log: log.area("state"))
    }

    public func page(for key: SearchCacheKey) async -> StoredPage? {
        await database.page(for: StoredPageKey(key))
    }

    public func keep(_ page: StoredPage, for key: SearchCacheKey, until end: WallTime) {
        guard writes < Self.mostWrites else { return }
        writes += 1
        Loop.start { [database] in
            await database.keep(page, for: StoredPageKey(key), until: end)
            self.writes -= 1
        }
    }

    public func limit(entries: Int) {
        Loop.start { [database] in await database.limit(entries: entries) }
    }

    /// Returns when everything handed over is written.
    public func close() async { await database.close() }
}
