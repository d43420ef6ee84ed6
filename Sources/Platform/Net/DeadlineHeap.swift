import Base

/// Timers ordered by when they are due, and by number where that is equal. A cancelled one stays in the heap as an
/// empty entry; when those outnumber the living the heap is built anew, so that it can't grow past twice what waits.
struct DeadlineHeap<Action> {
    private struct Entry {
        let at: Instant
        let number: UInt64

        static func < (a: Entry, b: Entry) -> Bool {
            a.at < b.at || (a.at == b.at && a.number < b.number)
        }
    }

    private var entries: [Entry] = []
    private var actions: [UInt64: Action] = [:]
    private var made: UInt64 = 0

    var count: Int { actions.count }
    /// For a test: entries with and without an action.
    var size: Int { entries.count }

    mutating func add(at instant: Instant, _ action: Action) -> UInt64 {
        made += 1
        actions[made] = action
        entries.append(Entry(at: instant, number: made))
        siftUp(entries.count - 1)
        return made
    }

    mutating func remove(_ number: UInt64) {
        guard actions.removeValue(forKey: number) != nil else { return }
        if entries.count > 2 * actions.count + 64 { rebuild() }
    }

    /// When the first timer is due.
    mutating func next() -> Instant? {
        dropCancelled()
        return entries.first?.at
    }

    /// Takes out the first timer if it is due.
    mutating func popDue(_ now: Instant) -> Action? {
        dropCancelled()
        guard let first = entries.first, first.at <= now else { return nil }
        removeFirst()
        return actions.removeValue(forKey: first.number)
    }

    private mutating func dropCancelled() {
        while let first = entries.first, actions[first.number] == nil { removeFirst() }
    }

    private mutating func rebuild() {
        // A sorted array is a heap.
        entries = entries.filter { actions[$0.number] != nil }.sorted { $0 < $1 }
    }

    private mutating func removeFirst() {
        let last = entries.removeLast()
        guard !entries.isEmpty else { return }
        entries[0] = last
        siftDown()
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child] < entries[parent] else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child] < entries[least] {
                least = child
            }
            guard least != parent else { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
