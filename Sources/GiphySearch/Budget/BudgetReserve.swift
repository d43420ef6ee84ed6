import Base

/// The calls that one asker leaves to the others, and how they become fewer as calls leave the window.
///
/// It is made of what is known of all together, and kept by differences: a look ahead takes a hundred steps and more, none of which
/// looks a name up, since the loop waits.
struct BudgetReserve {
    private let own: ShareTable.Seat?
    private let table: ShareTable
    private let ownAtFirst: Int
    private var ownCalls: Int
    private var room: BudgetShares.Room
    /// How many calls of each place in the table have left the window.
    private var gone: [UInt8] = []
    /// Others with fewer calls than the asker, and what they lack together.
    private var behind: (count: Int, calls: Int)
    /// How many others have as many calls as the asker had at first (at 0), one less (at 1), and so on, as far as it may come.
    private var levels: [Int] = []
    /// Calls for refused ones that had no more now, and less before.
    private let before: Int
    private let newcomers: BudgetShares.Newcomers

    /// `steps`: how many calls may leave the window, 255 at most.
    init(for name: String, in all: BudgetShares, _ room: BudgetShares.Room, at now: Instant, steps: Int = 0) {
        own = all.table.seat(of: name)
        table = all.table
        self.room = room
        let mine = all.table[name]
        newcomers = all.newcomers(besides: name, at: now)
        ownAtFirst = mine?.calls ?? 0
        ownCalls = ownAtFirst
        // The asker itself is no part of any of these sums: it is not behind itself.
        behind = all.table.active.behind(ownCalls)
        before = all.table.active.halfCalls(upTo: ownCalls, before: mine?.total ?? 0) / 2
        guard steps > 0 else { return }
        gone = [UInt8](repeating: 0, count: all.table.seats)
        levels = [Int](repeating: 0, count: steps + 1)
        for level in all.table.active.levels { moveLevel(level.calls, by: level.count) }
        if mine?.isActive ?? false { moveLevel(ownCalls, by: -1) }
    }

    var count: Int {
        behind.calls + before + (ownCalls > 0 ? newcomers.count(room) : 0)
    }

    mutating func expired(_ seat: ShareTable.Seat) {
        room.used -= 1
        if seat == own {
            guard ownCalls > 0 else { return }
            ownCalls -= 1
            behind.calls -= behind.count
            let place = ownAtFirst - ownCalls
            if levels.indices.contains(place) { behind.count -= levels[place] }
        } else if let (atFirst, place) = table.active(at: seat), atFirst > Int(gone[place]) {
            let calls = atFirst - Int(gone[place])
            gone[place] += 1
            moveLevel(calls, by: -1)
            moveLevel(calls - 1, by: 1)
            if calls <= ownCalls { behind.calls += 1 }
            if calls == ownCalls { behind.count += 1 }
        }
    }

    private mutating func moveLevel(_ calls: Int, by change: Int) {
        let place = ownAtFirst - calls
        if levels.indices.contains(place) { levels[place] += change }
    }
}
