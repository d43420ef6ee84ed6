public import Base

/// The calls one key may still make: a sliding window over calls really sent.
///
/// Ages are monotonic, so that a clock set by hand neither blocks a key nor frees it; only what outlives the process is
/// stored in wall time.
@Loop public final class Budget {
    /// One call charged.
    struct Call: Equatable {
        let at: Instant
        let wall: WallTime
        let share: String
    }

    /// The source's name and a digest of the key, never the key.
    public let account: String
    /// Nil when nothing is limited.
    public var rule: BudgetRule?

    private let store: any BudgetStore
    private let clock: any LoopClock
    /// Oldest first; at most `rule.count`, but for a rule that has just become smaller.
    private var calls: [Call]

    public init(account: String, rule: BudgetRule?, store: any BudgetStore, clock: any LoopClock) {
        self.account = account
        self.rule = rule
        self.store = store
        self.clock = clock
        guard let rule else {
            calls = []
            return
        }
        let (now, wall) = (clock.now, clock.wall)
        let since = wall.advanced(by: .zero - rule.period)
        calls = store.calls(of: account, since: since).map { time in
            // A time to come was written before the clock was set back: taken as now, it counts a period at most. The
            // millisecond is what rounding may have taken off.
            let age = max(0, wall.milliseconds - time.milliseconds - 1)
            return Call(at: now.advanced(by: .zero - .milliseconds(age)), wall: time, share: "")
        }
        calls.sort { $0.at < $1.at }
    }

    /// How long until a call may be made; nil when one may be made now.
    public func wait(for share: String) -> Duration? {
        guard let rule else { return nil }
        let now = clock.now
        let expired = calls.prefix { $0.at.advanced(by: rule.period) <= now }.count
        calls.removeFirst(expired)
        guard calls.count >= rule.count else { return nil }
        return now.duration(to: calls[calls.count - rule.count].at.advanced(by: rule.period))
    }

    /// Charges one call that is about to be sent; nil when none is left.
    func take(for share: String) -> Call? {
        guard wait(for: share) == nil else { return nil }
        let call = Call(at: clock.now, wall: clock.wall, share: share)
        guard rule != nil else { return call }
        calls.append(call)
        store.record(callOf: account, at: call.wall)
        return call
    }

    /// The call never left.
    func giveBack(_ call: Call) {
        guard let index = calls.lastIndex(of: call) else { return }
        calls.remove(at: index)
        store.remove(callOf: account, at: call.wall)
    }

    /// Nil when nothing is limited.
    public func status(for share: String) -> BudgetStatus? {
        guard let rule else { return nil }
        let wait = wait(for: share)
        return BudgetStatus(
            used: calls.count, rule: rule, usedHere: calls.count { $0.share == share }, returnsIn: wait)
    }
}
