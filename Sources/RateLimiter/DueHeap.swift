/// Slots by time, soonest first; each slot is in it once, and knows its place, so that its time can change.
struct DueHeap: Sendable {
    private struct Entry {
        var due: Int64
        var slot: Int32
    }

    /// Four children a node: half the levels of two, and the children lie side by side.
    private static let width = 4

    private var entries: [Entry] = []
    /// Where each slot lies in `entries`.
    private var places: [Int32] = []

    var soonest: (due: Int64, slot: Int)? {
        entries.first.map { ($0.due, Int($0.slot)) }
    }

    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    /// Slots are numbered from 0 without gaps, so the next one is the number of those there are.
    mutating func append(due: Int64) {
        let slot = Int32(places.count)
        places.append(slot)
        entries.append(Entry(due: due, slot: slot))
        rise(from: entries.count - 1)
    }

    mutating func update(_ slot: Int, due: Int64) {
        let place = Int(places[slot])
        let before = entries[place].due
        entries[place].due = due
        if due < before { rise(from: place) } else { sink(from: place) }
    }

    private mutating func rise(from start: Int) {
        let entry = entries[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / Self.width
            guard entry.due < entries[parent].due else { break }
            put(entries[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    private mutating func sink(from start: Int) {
        let entry = entries[start]
        var place = start
        while true {
            let first = Self.width * place + 1
            guard first < entries.count else { break }
            var child = first
            for other in first + 1..<max(first + 1, min(first + Self.width, entries.count))
            where entries[other].due < entries[child].due {
                child = other
            }
            guard entries[child].due < entry.due else { break }
            put(entries[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        places[Int(entry.slot)] = Int32(place)
    }
}
