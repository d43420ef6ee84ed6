import Base

/// Shares the calls of a key out among those who ask, each of whom stands for a channel.
///
/// - A channel that had calls in this period leaves as many to each other one that asked in it.
/// - A second call is made only while there is a first one for each channel that may still come: as many as asked in a period
///   lately, less the calls that come back meanwhile, and a tenth of the key's calls; at most one for each that asked within a day.
/// - One that was refused goes before those that had more in the last day: half a call is kept for it, a whole one where it is two
///   behind. More would lie idle until it comes back, less would let it starve (both were tried in the simulation).
///
/// So with more channels than calls each has one a period at most while they ask, and they take turns; in a quiet time, and with
/// few channels, those that are there get nearly all, and the others still find a call.
struct BudgetShares {
    /// The calls of the key.
    struct Room {
        /// In the window.
        var used: Int
        let limit: Int

        var left: Int { limit - used }
    }

    /// Who asked within it may ask again.
    static let memory = Duration.days(1)
    /// Calls looked at to tell a waiting one when it may ask, since the loop waits meanwhile. What lies behind them is told as the
    /// last of them.
    static let furthestLook = 150

    private(set) var period: Duration
    /// Channels that the bot serves. Once a day has passed, those that asked in it are known.
    var expected: Int
    private let since: Instant
    private var aged: Instant
    private(set) var table = ShareTable()
    /// As many asked in one period; it goes down by about a half in two periods without as many.
    private var busiest = 0
    private var busiestSince: Instant

    init(period: Duration, expected: Int, since: Instant) {
        self.period = period
        self.expected = expected
        self.since = since
        aged = since
        busiestSince = since
    }

    func calls(of share: String) -> Int { table[share]?.calls ?? 0 }

    mutating func mayCall(_ share: String, _ room: Room, at now: Instant) -> Bool {
        while room.left > 0 {
            let isAll = settle(at: now)
            if room.left > BudgetReserve(for: share, in: self, room, at: now).count { return true }
            if isAll { break }
        }
        return false
    }

    /// Gives by what the call is known when it returns.
    mutating func charged(_ share: String, at now: Instant) -> ShareTable.Seat {
        ageTotals(at: now)
        let seat = table.asked(share, at: now, more: 1) { share in
            share.calls += 1
            share.isWaiting = false
        }
        _ = settle(at: now)
        return seat
    }

    mutating func refused(_ share: String, at now: Instant) {
        table.asked(share, at: now) { $0.isWaiting = true }
        _ = settle(at: now)
    }

    /// A call has left the window, or never left the machine.
    mutating func returned(_ seat: ShareTable.Seat) {
        table.returned(seat)
    }

    /// Another period, with the calls from before that it reaches.
    mutating func change(period: Duration, recalled: [Budget.Call], at now: Instant) {
        self.period = period
        table.rebuild(inactive: now.advanced(by: .zero - period), adding: recalled.map { ($0.share, $0.at) })
        _ = settle(at: now)
    }

    /// Channels that may come for their first call in this period.
    struct Newcomers {
        /// Those that are known and haven't; never more.
        let silent: Int
        /// As many asked in a period lately; nil while no whole one was seen.
        let busiest: Int?

        func count(_ room: Room) -> Int {
            guard let busiest else { return silent }
            return min(silent, max(0, busiest - room.used) + room.limit / 10)
        }
    }

    func newcomers(besides share: String, at now: Instant) -> Newcomers {
        let known = table.count + (table[share] == nil ? 1 : 0)
        var silent = known - table.active.count
        if since.duration(to: now) < Self.memory { silent += max(0, expected - known) }
        return Newcomers(silent: silent, busiest: since.duration(to: now) >= period ? busiest : nil)
    }

    /// When the asker may make a call if nobody else makes one meanwhile.
    mutating func due(_ share: String, _ room: Room, calls: ArraySlice<Budget.Call>, at now: Instant) -> Instant {
        _ = settle(at: now)
        var reserve = BudgetReserve(for: share, in: self, room, at: now, steps: Self.furthestLook)
        var left = room.left
        let looked = calls.prefix(Self.furthestLook)
        // By index: a copy of each call would cost more than all the rest.
        for index in looked.indices {
            left += 1
            if let seat = looked[index].seat { reserve.expired(seat) }
            if left > reserve.count { return looked[index].at.advanced(by: period) }
        }
        return looked.last.map { $0.at.advanced(by: period) } ?? now
    }

    /// What time has changed; false when there is more of it.
    private mutating func settle(at now: Instant) -> Bool {
        let inactive = now.advanced(by: .zero - period)
        let unknown = min(inactive, now.advanced(by: .zero - Self.memory))
        guard table.expire(inactive: inactive, unknown: unknown, most: Self.furthestLook) else { return false }
        while busiest > table.active.count, busiestSince.duration(to: now) >= period {
            busiest = busiest * 7 / 10
            busiestSince = busiestSince.advanced(by: period)
        }
        guard table.active.count >= busiest else { return true }
        busiest = table.active.count
        busiestSince = now
        return true
    }

    /// What was long ago counts half each day.
    private mutating func ageTotals(at now: Instant) {
        guard aged.duration(to: now) >= Self.memory else { return }
        aged = now
        table.halveTotals()
    }
}
