import Base

/// The calls that one asker leaves to the others, and how they become fewer as calls leave the window.
///
/// `count` is kept by differences: a look ahead takes hundreds of steps, and none may go through all shares again.
struct BudgetReserve {
    private let own: String
    private let all: BudgetShares
    private let now: Instant
    private let ownAtFirst: Int
    private var ownCalls = 0
    /// Calls left of the others that had some leave the window.
    private var changed: [String: Int] = [:]
    /// Others with fewer calls than the asker.
    private var fewer = 0
    /// How many others have as many calls as the asker had at first (at 0), one less (at 1), and so on, as far as it may come.
    private var levels: [Int]
    /// Channels that may ask and had nothing.
    private var silent = 0
    private(set) var count = 0

    /// `steps`: how many calls may leave the window.
    init(for own: String, in all: BudgetShares, at now: Instant, steps: Int = 0) {
        self.own = own
        self.all = all
        self.now = now
        let mine = all.shares[own]
        ownAtFirst = mine?.calls ?? 0
        ownCalls = ownAtFirst
        levels = steps > 0 ? [Int](repeating: 0, count: steps + 1) : []
        // Half calls for refused ones that had no more now, and less before.
        var before = 0
        var known = mine == nil ? 1 : 0
        let active = now.advanced(by: .zero - all.period)
        let remembered = min(active, now.advanced(by: .zero - BudgetShares.memory))
        // Without the names, which cost more than all else here. The asker is among them, and taken out below.
        for share in all.shares.values where share.lastAsked > remembered {
            known += 1
            guard share.lastAsked > active else {
                silent += 1
                continue
            }
            if share.calls < ownCalls {
                fewer += 1
                count += ownCalls - share.calls
            }
            moveLevel(share.calls, by: 1)
            if share.isWaiting, share.calls <= ownCalls {
                before += min(2, max(0, (mine?.total ?? 0) - share.total))
            }
        }
        if let mine, mine.lastAsked > active {
            moveLevel(ownCalls, by: -1)
        } else if let mine, mine.lastAsked > remembered {
            silent -= 1
        }
        if all.since.duration(to: now) < BudgetShares.memory { silent += max(0, all.expected - known) }
        count += before / 2 + (ownCalls > 0 ? silent : 0)
    }

    mutating func expired(_ share: String) {
        if share == own {
            guard ownCalls > 0 else { return }
            ownCalls -= 1
            count -= fewer
            if ownCalls == 0 { count -= silent }
            let place = ownAtFirst - ownCalls
            if levels.indices.contains(place) { fewer -= levels[place] }
        } else if let calls = calls(of: share), calls > 0 {
            changed[share] = calls - 1
            moveLevel(calls, by: -1)
            moveLevel(calls - 1, by: 1)
            if calls <= ownCalls { count += 1 }
            if calls == ownCalls { fewer += 1 }
        }
    }

    /// Nil for one that didn't ask in this period.
    private func calls(of share: String) -> Int? {
        if let calls = changed[share] { return calls }
        guard let entry = all.shares[share], entry.lastAsked.duration(to: now) < all.period else { return nil }
        return entry.calls
    }

    private mutating func moveLevel(_ calls: Int, by change: Int) {
        let place = ownAtFirst - calls
        if levels.indices.contains(place) { levels[place] += change }
    }
}
