import Base

/// Shares the calls of a key out among those who ask, each of whom stands for a channel.
///
/// - A channel that had calls in this period leaves as many to each other one that asked in it.
/// - A second call is made only while there is a first one for every channel that asked within a day.
/// - One that was refused goes before those that had more in the last day: half a call is kept for it, a whole one where it is two
///   behind. More would lie idle until it comes back, less would let it starve (both were tried in the simulation).
///
/// So with more channels than calls each has one a period at most, and they take turns; with few channels one that is alone gets
/// nearly all, and the others still find a call.
struct BudgetShares {
    struct Share {
        /// In the window.
        var calls = 0
        var lastAsked: Instant
        /// Over about a day.
        var total = 0
        /// Was refused, and not served since.
        var isWaiting = false
    }

    /// Beyond it the one that asked longest ago is forgotten; its calls still count.
    private static let capacity = 4096
    /// Who asked within it may ask again.
    static let memory = Duration.days(1)
    /// Calls looked at to tell a waiting one when it may ask, since the loop waits meanwhile. What lies behind them is told as the
    /// last of them.
    static let furthestLook = 500

    var period: Duration
    /// Channels that the bot serves. Once a day has passed, those that asked in it are known.
    var expected: Int
    let since: Instant
    private var aged: Instant
    private(set) var shares: [String: Share] = [:]

    init(period: Duration, expected: Int, since: Instant) {
        self.period = period
        self.expected = expected
        self.since = since
        aged = since
    }

    func calls(of share: String) -> Int { shares[share]?.calls ?? 0 }

    /// `left`: calls of the key that nobody has made.
    func mayCall(_ share: String, left: Int, at now: Instant) -> Bool {
        left > 0 && left > BudgetReserve(for: share, in: self, at: now).count
    }

    mutating func charged(_ share: String, at now: Instant) {
        ageTotals(at: now)
        makeRoom(for: share, at: now)
        var entry = shares[share] ?? Share(lastAsked: now)
        entry.calls += 1
        entry.lastAsked = now
        entry.total += 1
        entry.isWaiting = false
        shares[share] = entry
    }

    /// A call from before, which a longer window reaches again.
    mutating func recalled(_ share: String, at time: Instant) {
        makeRoom(for: share, at: time)
        shares[share, default: Share(lastAsked: time)].calls += 1
    }

    mutating func refused(_ share: String, at now: Instant) {
        makeRoom(for: share, at: now)
        var entry = shares[share] ?? Share(lastAsked: now)
        entry.lastAsked = now
        entry.isWaiting = true
        shares[share] = entry
    }

    /// A call has left the window, or never left the machine.
    mutating func returned(_ share: String) {
        guard let calls = shares[share]?.calls, calls > 0 else { return }
        shares[share]?.calls = calls - 1
    }

    /// What was long ago counts half each day.
    private mutating func ageTotals(at now: Instant) {
        guard aged.duration(to: now) >= Self.memory else { return }
        aged = now
        for name in shares.keys { shares[name]?.total /= 2 }
    }

    /// When the asker may make a call if nobody else makes one meanwhile.
    func due(_ share: String, left: Int, calls: [Budget.Call], at now: Instant) -> Instant {
        var reserve = BudgetReserve(for: share, in: self, at: now, steps: Self.furthestLook)
        var left = left
        var last = now
        for call in calls.prefix(Self.furthestLook) {
            last = call.at.advanced(by: period)
            left += 1
            reserve.expired(call.share)
            if left > reserve.count { return last }
        }
        return last
    }

    private mutating func makeRoom(for share: String, at now: Instant) {
        guard shares[share] == nil, shares.count >= Self.capacity else { return }
        let oldest = shares.min { one, other in
            (one.value.calls, one.value.lastAsked) < (other.value.calls, other.value.lastAsked)
        }
        if let oldest { shares[oldest.key] = nil }
    }
}
