import Base

/// Those who share a key's calls, in the order in which they asked last, and what is known of all of them together.
///
/// Nothing but a change of the period goes through them all.
struct ShareTable {
    /// Where a share is found without its name, as long as it is known.
    struct Seat: Hashable {
        fileprivate let place: Int
        fileprivate let number: Int
    }

    struct Share {
        let name: String
        /// No other share ever has it.
        fileprivate let number: Int
        /// In the window.
        var calls = 0
        var lastAsked: Instant
        /// Over about a day, when the totals had been halved so often.
        fileprivate(set) var total = 0
        fileprivate var halvings = 0
        /// Was refused, and not served since.
        var isWaiting = false
        /// Asked in this period.
        fileprivate(set) var isActive = false
        fileprivate var older: Int?
        fileprivate var newer: Int?

        init(name: String, number: Int, lastAsked: Instant) {
            self.name = name
            self.number = number
            self.lastAsked = lastAsked
        }
    }

    /// Beyond it the one that asked longest ago is forgotten; its calls still count.
    static let capacity = 4096

    private var places: [String: Int] = [:]
    private var shares: [Share] = []
    private var free: [Int] = []
    private var oldest: Int?
    private var newest: Int?
    private var oldestActive: Int?
    private var halvings = 0
    private var numbersGiven = 0
    /// Those that asked in this period.
    private(set) var active = ShareLevels()

    var count: Int { places.count }

    subscript(name: String) -> Share? {
        guard let place = places[name] else { return nil }
        var share = shares[place]
        share.total = total(at: place)
        return share
    }

    func seat(of name: String) -> Seat? {
        places[name].map { Seat(place: $0, number: shares[$0].number) }
    }

    /// As many as there ever were at one time: each place of a seat is below.
    var seats: Int { shares.count }

    /// Its calls, and its place among those of all; nil for one that didn't ask in this period.
    func active(at seat: Seat) -> (calls: Int, place: Int)? {
        guard isKnown(seat), shares[seat.place].isActive else { return nil }
        return (shares[seat.place].calls, seat.place)
    }

    private func isKnown(_ seat: Seat) -> Bool { shares[seat.place].number == seat.number }

    /// It asked; `change` says what came of that, `more` calls are counted over the day.
    @discardableResult
    mutating func asked(_ name: String, at now: Instant, more: Int = 0, _ change: (inout Share) -> Void) -> Seat {
        let place = takePlace(of: name, at: now)
        leaveLevel(place)
        moveToEnd(place)
        shares[place].lastAsked = now
        shares[place].total = total(at: place) + more
        shares[place].halvings = halvings
        change(&shares[place])
        shares[place].isActive = true
        enterLevel(place)
        if oldestActive == nil { oldestActive = place }
        return Seat(place: place, number: shares[place].number)
    }

    /// Has one call less now; nothing for one that isn't known any more.
    mutating func returned(_ seat: Seat) {
        if isKnown(seat) { change(seat.place) { $0 - 1 } }
    }

    private mutating func change(_ place: Int, calls change: (Int) -> Int) {
        leaveLevel(place)
        shares[place].calls = max(0, change(shares[place].calls))
        enterLevel(place)
    }

    /// Those that asked at these times or before are of this period no more, and not known any more. `most`: so many are looked
    /// at; false when there may be more.
    mutating func expire(inactive: Instant, unknown: Instant, most: Int) -> Bool {
        var left = most
        while left > 0, let place = oldestActive, shares[place].lastAsked <= inactive {
            leaveLevel(place)
            shares[place].isActive = false
            oldestActive = shares[place].newer
            left -= 1
        }
        while left > 0, let place = oldest, !shares[place].isActive, shares[place].lastAsked <= unknown {
            forget(place)
            left -= 1
        }
        return left > 0
    }

    mutating func halveTotals() {
        halvings += 1
        active.halveTotals()
    }

    /// For another period, and calls from before: `known` are added to what is counted, each with when it was made.
    mutating func rebuild(inactive: Instant, adding known: [(name: String, at: Instant)]) {
        for (name, time) in known {
            change(places[name] ?? asked(name, at: time) { _ in }.place) { $0 + 1 }
        }
        let order = places.values.sorted { (shares[$0].lastAsked, $0) < (shares[$1].lastAsked, $1) }
        (oldest, newest, oldestActive, active) = (nil, nil, nil, ShareLevels())
        for place in order {
            (shares[place].older, shares[place].newer) = (nil, nil)
            link(place)
            shares[place].isActive = shares[place].lastAsked > inactive
            enterLevel(place)
            if shares[place].isActive, oldestActive == nil { oldestActive = place }
        }
    }

    private func total(at place: Int) -> Int { shares[place].total >> min(63, halvings - shares[place].halvings) }

    private func waitingTotal(at place: Int) -> Int? { shares[place].isWaiting ? total(at: place) : nil }

    private mutating func enterLevel(_ place: Int) {
        guard shares[place].isActive else { return }
        active.add(shares[place].calls, waiting: waitingTotal(at: place))
    }

    private mutating func leaveLevel(_ place: Int) {
        guard shares[place].isActive else { return }
        active.remove(shares[place].calls, waiting: waitingTotal(at: place))
    }

    private mutating func takePlace(of name: String, at now: Instant) -> Int {
        if let place = places[name] { return place }
        if count >= Self.capacity, let oldest { forget(oldest) }
        numbersGiven += 1
        var share = Share(name: name, number: numbersGiven, lastAsked: now)
        share.halvings = halvings
        let place = free.popLast() ?? shares.count
        if place == shares.count { shares.append(share) } else { shares[place] = share }
        places[name] = place
        link(place)
        return place
    }

    private mutating func forget(_ place: Int) {
        leaveLevel(place)
        unlink(place)
        places[shares[place].name] = nil
        // Its number is of nobody from now on.
        shares[place] = Share(name: "", number: 0, lastAsked: shares[place].lastAsked)
        free.append(place)
    }

    private mutating func moveToEnd(_ place: Int) {
        guard newest != place else { return }
        unlink(place)
        link(place)
    }

    private mutating func link(_ place: Int) {
        shares[place].older = newest
        shares[place].newer = nil
        if let newest { shares[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (shares[place].older, shares[place].newer)
        if let older { shares[older].newer = newer } else { oldest = newer }
        if let newer { shares[newer].older = older } else { newest = older }
        if oldestActive == place { oldestActive = newer }
    }
}
