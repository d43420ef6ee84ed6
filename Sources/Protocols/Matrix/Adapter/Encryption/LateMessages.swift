import Base
import Matrix

/// Events whose key hasn't come yet: it is often only a moment behind.
///
/// They stay here while another thread tries to open them, so that whatever happens meanwhile (a room left, a message taken
/// back, the key told) finds them. Beyond `capacity` the ones that came first are given up; each is given up when it is too old
/// to be answered anyway.
struct LateMessages {
    static let capacity = 500
    /// However old a message may be that is answered.
    static let patience: Duration = .minutes(5)

    struct Entry {
        let sealed: SealedEvent
        let session: String
        let since: Instant
        let until: Instant
        fileprivate var isTried = false
        /// Its key was told while it was tried.
        fileprivate var isDue = false

        init(sealed: SealedEvent, session: String, since: Instant, until: Instant) {
            self.sealed = sealed
            self.session = session
            self.since = since
            self.until = until
        }

        fileprivate func isSame(as other: SealedEvent) -> Bool { sealed.id == other.id && sealed.room == other.room }
    }

    /// In the order in which they came.
    private var entries: [Entry] = []

    var nextDeadline: Instant? { entries.map(\.until).min() }

    /// Those that have to go for it; the same once more goes itself.
    mutating func add(_ entry: Entry) -> [SealedEvent] {
        guard !entries.contains(where: { $0.isSame(as: entry.sealed) }) else { return [entry.sealed] }
        entries.append(entry)
        guard entries.count > Self.capacity else { return [] }
        return [entries.removeFirst().sealed]
    }

    /// A key was told: what waits for it is to be tried now. What is being tried is tried once more after that.
    mutating func keyCame(_ session: String, in room: String) -> [SealedEvent] {
        take { $0.session == session && $0.sealed.room == room }
    }

    /// Everything is to be tried now: there are other keys.
    mutating func keysChanged() -> [SealedEvent] { take { _ in true } }

    private mutating func take(_ isIt: (Entry) -> Bool) -> [SealedEvent] {
        var due: [SealedEvent] = []
        for index in entries.indices where isIt(entries[index]) {
            if entries[index].isTried { entries[index].isDue = true } else { due.append(entries[index].sealed) }
            entries[index].isTried = true
        }
        return due
    }

    /// It couldn't be opened. True when its key was told meanwhile: then it is to be tried again.
    mutating func stayedClosed(_ sealed: SealedEvent) -> Bool {
        guard let index = entries.firstIndex(where: { $0.isSame(as: sealed) }) else { return false }
        let isDue = entries[index].isDue
        entries[index].isDue = false
        entries[index].isTried = isDue
        return isDue
    }

    /// It waits no longer; nil when it didn't any more.
    mutating func remove(_ sealed: SealedEvent) -> Entry? { remove { $0.isSame(as: sealed) }.first }

    func contains(_ sealed: SealedEvent) -> Bool { entries.contains { $0.isSame(as: sealed) } }

    /// What waits for a key of this sender's, which won't come. Whoever else says so has nothing to say about it.
    mutating func withheld(_ session: String, in room: String, by sender: String) -> [Entry] {
        remove { $0.session == session && $0.sealed.room == room && $0.sealed.event.sender == sender }
    }

    mutating func expired(_ now: Instant) -> [Entry] { remove { $0.until <= now } }

    mutating func left(_ room: String) -> [Entry] { remove { $0.sealed.room == room } }

    mutating func redacted(_ event: String, in room: String) -> [Entry] {
        remove { $0.sealed.id == event && $0.sealed.room == room }
    }

    private mutating func remove(_ isIt: (Entry) -> Bool) -> [Entry] {
        guard entries.contains(where: isIt) else { return [] }
        let found = entries.filter(isIt)
        entries.removeAll(where: isIt)
        return found
    }
}
