public import Base

/// The calls one key may still make: a sliding window over calls really sent, shared out among those who ask.
///
/// Ages are monotonic, so that a clock set by hand neither blocks a key nor frees it; only what outlives the process is
/// stored in wall time.
@Loop public final class Budget {
    /// One call charged.
    struct Call: Equatable {
        let at: Instant
        let wall: WallTime
        let share: String
        /// Nil where the share isn't known any more.
        var seat: ShareTable.Seat?
    }

    /// The source's name and a digest of the key, never the key.
    public let account: String
    /// Nil when nothing is limited.
    public var rule: BudgetRule? {
        didSet {
            guard let rule, rule.period != shares.period || oldValue == nil else { return }
            let recalled = rule.period > oldValue?.period ?? .zero ? recall(rule) : []
            shares.change(period: rule.period, recalled: recalled, at: clock.now)
            for index in calls.indices where calls[index].seat == nil {
                calls[index].seat = shares.table.seat(of: calls[index].share)
            }
        }
    }

    private let store: any BudgetStore
    private let clock: any LoopClock
    /// Oldest first; at most `rule.count`, but for a rule that has just become smaller.
    private var calls: ArraySlice<Call>
    private(set) var shares: BudgetShares

    /// `channels`: how many the bot serves, which counts until a day has shown how many ask.
    public init(
        account: String, rule: BudgetRule?, store: any BudgetStore, clock: any LoopClock, channels: Int = 0
    ) {
        self.account = account
        self.rule = rule
        self.store = store
        self.clock = clock
        let (now, wall) = (clock.now, clock.wall)
        shares = BudgetShares(period: rule?.period ?? .hours(1), expected: channels, since: now)
        guard let rule else {
            calls = []
            return
        }
        calls = Self.stored(in: store, of: account, rule, now, wall)[...]
        for index in calls.indices { calls[index].seat = shares.charged(calls[index].share, at: calls[index].at) }
    }

    private static func stored(
        in store: any BudgetStore, of account: String, _ rule: BudgetRule, _ now: Instant, _ wall: WallTime
    ) -> [Call] {
        let spent = store.calls(of: account, since: wall.advanced(by: .zero - rule.period)).map { spent in
            // A time to come was written before the clock was set back: taken as now, it counts a period at most. The
            // millisecond is what rounding may have taken off.
            let age = max(0, wall.milliseconds - spent.at.milliseconds - 1)
            return Call(at: now.advanced(by: .zero - .milliseconds(age)), wall: spent.at, share: spent.share)
        }
        return spent.sorted { $0.at < $1.at }
    }

    /// A longer window reaches calls that had left the shorter one. Those still held keep their age, which no clock set by hand
    /// has touched. Returns those it has found.
    private func recall(_ rule: BudgetRule) -> [Call] {
        var recalled: [Call] = []
        var held: [SpentCall: Int] = [:]
        for call in calls { held[SpentCall(at: call.wall, share: call.share), default: 0] += 1 }
        for call in Self.stored(in: store, of: account, rule, clock.now, clock.wall) {
            let spent = SpentCall(at: call.wall, share: call.share)
            if let count = held[spent], count > 0 {
                held[spent] = count - 1
            } else {
                recalled.append(call)
            }
        }
        calls = (calls + recalled).sorted { $0.at < $1.at }[...]
        return recalled
    }

    /// The bot serves so many channels now.
    public func expect(channels: Int) { shares.expected = channels }

    /// How long until this asker may make a call, as far as is known; nil when it may now.
    public func wait(for share: String) -> Duration? {
        guard let rule else { return nil }
        let now = clock.now
        guard !mayCall(share, rule, at: now) else { return nil }
        let room = BudgetShares.Room(used: calls.count, limit: rule.count)
        let due = shares.due(share, room, calls: calls, at: now)
        return now.duration(to: max(now, due))
    }

    /// Charges one call that is about to be sent; nil when there is none for this asker, who counts as waiting from then on.
    /// For an extra call nobody waits.
    func take(for share: String, isExtra: Bool = false) -> Call? {
        var call = Call(at: clock.now, wall: clock.wall, share: share)
        guard let rule else { return call }
        guard mayCall(share, rule, at: call.at) else {
            if !isExtra { shares.refused(share, at: call.at) }
            return nil
        }
        call.seat = shares.charged(share, at: call.at)
        calls.append(call)
        store.record(callOf: account, by: share, at: call.wall)
        return call
    }

    /// The call never left.
    func giveBack(_ call: Call) {
        guard let index = calls.lastIndex(of: call) else { return }
        calls.remove(at: index)
        if let seat = call.seat { shares.returned(seat) }
        store.remove(callOf: account, by: call.share, at: call.wall)
    }

    /// Nil when nothing is limited.
    public func status(for share: String) -> BudgetStatus? {
        guard let rule else { return nil }
        while !expire(rule, at: clock.now) {}
        let wait = wait(for: share)
        return BudgetStatus(used: calls.count, rule: rule, usedHere: shares.calls(of: share), returnsIn: wait)
    }

    /// Time may have freed thousands of calls at once; no more of that is looked at than it takes to say yes.
    private func mayCall(_ share: String, _ rule: BudgetRule, at now: Instant) -> Bool {
        while true {
            let isAll = expire(rule, at: now)
            let room = BudgetShares.Room(used: calls.count, limit: rule.count)
            if shares.mayCall(share, room, at: now) { return true }
            if isAll { return false }
        }
    }

    /// False when there may be more.
    private func expire(_ rule: BudgetRule, at now: Instant) -> Bool {
        let expired = calls.prefix(Self.step).prefix { $0.at.advanced(by: rule.period) <= now }
        for call in expired { if let seat = call.seat { shares.returned(seat) } }
        calls.removeFirst(expired.count)
        return expired.count < Self.step
    }

    private static let step = 300
}
