public import Base

/// In memory, bounded by entries and by bytes; the entry used longest ago goes first.
@Loop public final class MemorySearchCache: SearchCache {
    /// Neighbours in order of use, as a list threaded through the entries. The links don't own: the dictionary does, and an entry
    /// is unlinked before it leaves the dictionary.
    private final class Entry {
        let key: SearchCacheKey
        let page: SearchPage
        let end: Instant
        /// When it may not even serve for want of a better one.
        let lastEnd: Instant
        let bytes: Int
        unowned(unsafe) var newer: Entry?
        unowned(unsafe) var older: Entry?

        init(key: SearchCacheKey, page: SearchPage, end: Instant, lastEnd: Instant, bytes: Int) {
            self.key = key
            self.page = page
            self.end = end
            self.lastEnd = lastEnd
            self.bytes = bytes
        }
    }

    private var entries: [SearchCacheKey: Entry] = [:]
    private var newest: Entry?
    private var oldest: Entry?
    private var maximumEntries: Int
    private let maximumBytes: Int
    /// An estimate: what the texts take, and a sum for each object.
    private(set) var bytes = 0

    public init(maximumEntries: Int, maximumBytes: Int = 8 << 20) {
        self.maximumEntries = maximumEntries
        self.maximumBytes = maximumBytes
    }

    public var count: Int { entries.count }

    public func page(for key: SearchCacheKey, at now: Instant) -> SearchPage? {
        guard let entry = entries[key] else { return nil }
        guard now < entry.end else {
            if now >= entry.lastEnd { remove(entry) }
            return nil
        }
        if entry !== newest {
            unlink(entry)
            link(entry)
        }
        return entry.page
    }

    public func stalePage(for key: SearchCacheKey, at now: Instant) -> SearchPage? {
        guard let entry = entries[key], now < entry.lastEnd else { return nil }
        return entry.page
    }

    public func keep(
        _ page: SearchPage, for key: SearchCacheKey, lasting lifetime: Duration, stale: Duration, at now: Instant
    ) {
        if let held = entries[key] { remove(held) }
        guard lifetime > .zero || stale > .zero, maximumEntries > 0 else { return }
        let end = now.advanced(by: max(.zero, lifetime))
        let entry = Entry(
            key: key, page: page, end: end, lastEnd: end.advanced(by: stale), bytes: page.estimatedBytes)
        guard entry.bytes <= maximumBytes else { return }
        entries[key] = entry
        bytes += entry.bytes
        link(entry)
        makeRoom()
    }

    public func limit(entries: Int) {
        maximumEntries = entries
        makeRoom()
    }

    private func makeRoom() {
        while entries.count > maximumEntries || bytes > maximumBytes, let oldest { remove(oldest) }
    }

    private func remove(_ entry: Entry) {
        unlink(entry)
        bytes -= entry.bytes
        entries[entry.key] = nil
    }

    private func link(_ entry: Entry) {
        entry.older = newest
        newest?.newer = entry
        newest = entry
        if oldest == nil { oldest = entry }
    }

    private func unlink(_ entry: Entry) {
        entry.older?.newer = entry.newer
        entry.newer?.older = entry.older
        if newest === entry { newest = entry.older }
        if oldest === entry { oldest = entry.newer }
        entry.newer = nil
        entry.older = nil
    }
}
