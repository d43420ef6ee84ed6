public import Base
import Synchronization

/// Time that moves only when a test says so.
public final class ManualClock: LoopClock {
    private struct State {
        var now = ContinuousClock.now
        var wall = WallTime(milliseconds: 1_800_000_000_000)
    }

    private let state = Mutex(State())
    @Loop private var timers: [TimerID: (at: Instant, action: @Loop () -> Void)] = [:]
    @Loop private var made: UInt64 = 0

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var wall: WallTime { state.withLock { $0.wall } }

    @Loop public func schedule(at instant: Instant, _ action: @escaping @Loop () -> Void) -> TimerID {
        made += 1
        let id = TimerID(number: made)
        timers[id] = (instant, action)
        return id
    }

    @Loop public func cancel(_ timer: TimerID) {
        timers[timer] = nil
    }

    /// When the next timer is due, if any waits.
    @Loop public var nextDue: Instant? { timers.values.map(\.at).min() }

    /// Moves both clocks and runs what comes due, in order, each at its own time.
    @Loop public func advance(by duration: Duration) {
        let end = now.advanced(by: duration)
        while let due = timers.filter({ $0.value.at <= end }).min(by: {
            ($0.value.at, $0.key.number) < ($1.value.at, $1.key.number)
        }) {
            timers[due.key] = nil
            move(to: max(due.value.at, now))
            due.value.action()
        }
        move(to: end)
    }

    /// The wall clock is set by hand, as an administrator or NTP does; monotonic time stays.
    public func jumpWall(by duration: Duration) {
        state.withLock { $0.wall = $0.wall.advanced(by: duration) }
    }

    private func move(to instant: Instant) {
        state.withLock {
            $0.wall = $0.wall.advanced(by: $0.now.duration(to: instant))
            $0.now = instant
        }
    }
}
