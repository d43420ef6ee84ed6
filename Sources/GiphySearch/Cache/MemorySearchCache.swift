import Base

/// Answers of sources, in memory, bounded by entries and by bytes; the entry used longest ago goes first. Failures are never handed
/// to it. Time comes with each call, and is monotonic.
@Loop final class MemorySearchCache {
    /// Neighbours in order of use, as a list threaded through the entries. The links don't own: the dictionary does, and an entry
    /// is unlinked before it leaves the dictionary.
    private final class Entry {
        let key: SearchCacheKey
        let page: SearchPage
        let end: Instant
        /// When it may not even serve for want of a better one.
        let lastEnd: Instant
        let bytes: Int
        unowned var newer: Entry?
        unowned var older: Entry?

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

    init(maximumEntries: Int, maximumBytes: Int = 8 << 20) {
        self.maximumEntries = maximumEntries
        self.maximumBytes = maximumBytes
    }

    var count: Int { entries.count }

    /// The page held, unless its time is over.
    func page(for key: SearchCacheKey, at now: Instant) -> SearchPage? {
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

    /// A page whose time is over, but not yet the time after it in which it may serve for want of a better one.
    func stalePage(for key: SearchCacheKey, at now: Instant) -> SearchPage? {
        guard let entry = entries[key], now < entry.lastEnd else { return nil }
        return entry.page
    }

    /// Holds a page for `lifetime`, and `stale` longer for `stalePage`; without either it holds nothing, and forgets what was held
    /// before.
    func keep(
        _ page: SearchPage, for key: SearchCacheKey, lasting lifetime: Duration, stale: Duration = .zero,
        at now: Instant
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

    /// At most that many from now on; the ones used longest ago go.
    func limit(entries: Int) {
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
