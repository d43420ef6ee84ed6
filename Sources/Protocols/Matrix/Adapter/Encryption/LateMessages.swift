import Base
import Matrix

/// Events whose key hasn't come yet: it is often only a moment behind.
///
/// Beyond `capacity` the ones that came first are given up; each is given up when it is too old to be answered anyway.
struct LateMessages {
    static let capacity = 500
    /// However old a message may be that is answered.
    static let patience: Duration = .minutes(5)

    struct Entry {
        let sealed: SealedEvent
        let session: String
        let since: Instant
        let until: Instant
    }

    /// In the order in which they came.
    private var entries: [Entry] = []

    var nextDeadline: Instant? { entries.map(\.until).min() }

    /// Those that have to go for it; the same once more goes itself.
    mutating func add(_ entry: Entry) -> [SealedEvent] {
        guard !entries.contains(where: { $0.sealed.id == entry.sealed.id && $0.sealed.room == entry.sealed.room })
        else {
            return [entry.sealed]
        }
        entries.append(entry)
        guard entries.count > Self.capacity else { return [] }
        return [entries.removeFirst().sealed]
    }

    /// What waits for a key; it doesn't any more.
    mutating func take(_ session: String, in room: String) -> [Entry] {
        remove { $0.session == session && $0.sealed.room == room }
    }

    /// What waits for a key of this sender's, which won't come. Whoever else says so has nothing to say about it.
    mutating func withheld(_ session: String, in room: String, by sender: String) -> [Entry] {
        remove { $0.session == session && $0.sealed.room == room && $0.sealed.event.sender == sender }
    }

    mutating func expired(_ now: Instant) -> [Entry] { remove { $0.until <= now } }

    mutating func left(_ room: String) -> [Entry] { remove { $0.sealed.room == room } }

    mutating func redacted(_ event: String, in room: String) -> [Entry] {
        remove { $0.sealed.id == event && $0.sealed.room == room }
    }

    mutating func clear() -> [Entry] { remove { _ in true } }

    private mutating func remove(_ isIt: (Entry) -> Bool) -> [Entry] {
        guard entries.contains(where: isIt) else { return [] }
        let found = entries.filter(isIt)
        entries.removeAll(where: isIt)
        return found
    }
}
