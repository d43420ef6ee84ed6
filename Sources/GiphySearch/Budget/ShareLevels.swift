/// How many have how many calls, and of those that wait, how many calls they had before.
///
/// Kept with each change, so that nobody goes through all channels while the loop waits. There are few levels: to have n of them
/// takes n²/2 calls.
struct ShareLevels: Equatable {
    struct Level: Equatable {
        let calls: Int
        var count = 0
        /// What those that wait had in the last day, the least first.
        var waiting: [Int] = []
    }

    /// The fewest calls first; none is empty.
    private(set) var levels: [Level] = []
    private(set) var count = 0

    /// `waiting`: what one that waits had in the last day; nil for others.
    mutating func add(_ calls: Int, waiting total: Int?) {
        let place = place(of: calls)
        if place == levels.count || levels[place].calls != calls { levels.insert(Level(calls: calls), at: place) }
        levels[place].count += 1
        count += 1
        if let total { levels[place].waiting.insert(total, at: levels[place].waiting.firstPlace(notBelow: total)) }
    }

    mutating func remove(_ calls: Int, waiting total: Int?) {
        let place = place(of: calls)
        guard place < levels.count, levels[place].calls == calls else { return }
        levels[place].count -= 1
        count -= 1
        if let total { levels[place].waiting.remove(at: levels[place].waiting.firstPlace(notBelow: total)) }
        if levels[place].count == 0 { levels.remove(at: place) }
    }

    /// Their order stays.
    mutating func halveTotals() {
        for place in levels.indices {
            for index in levels[place].waiting.indices { levels[place].waiting[index] /= 2 }
        }
    }

    /// Of those with fewer than `own` calls: how many there are, and how many calls they lack together.
    func behind(_ own: Int) -> (count: Int, calls: Int) {
        var (count, calls) = (0, 0)
        for level in levels {
            guard level.calls < own else { break }
            count += level.count
            calls += level.count * (own - level.calls)
        }
        return (count, calls)
    }

    /// Half calls kept for those that wait, have no more than `own` calls, and had fewer before: one each, and two for who is two
    /// or more behind.
    func halfCalls(upTo own: Int, before total: Int) -> Int {
        var half = 0
        for level in levels {
            guard level.calls <= own else { break }
            half += level.waiting.firstPlace(notBelow: total) + level.waiting.firstPlace(notBelow: total - 1)
        }
        return half
    }

    private func place(of calls: Int) -> Int {
        var range = 0..<levels.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = levels[middle].calls < calls ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

extension [Int] {
    /// In a sorted list; how many are below, too.
    fileprivate func firstPlace(notBelow value: Int) -> Int {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = self[middle] < value ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
