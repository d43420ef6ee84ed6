/// A point in monotonic time. It never jumps; limits, ages, pings and waits are measured with it.
public typealias Instant = ContinuousClock.Instant

/// Milliseconds since 1970-01-01T00:00Z. Only for log stamps, stored state and the age of messages, because it jumps.
public struct WallTime: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public static func < (a: WallTime, b: WallTime) -> Bool {
        a.milliseconds < b.milliseconds
    }

    public func advanced(by duration: Duration) -> WallTime {
        WallTime(milliseconds: milliseconds + duration.milliseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    public var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// Whole seconds, rounded up: "try again in 3 s" must not be a moment too early.
    public var secondsRoundedUp: Int64 {
        components.seconds + (components.attoseconds > 0 ? 1 : 0)
    }

    public static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    public static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    public static func days(_ count: Int) -> Duration { .seconds(86400 * count) }
}

/// Names one timer, so that it can be cancelled. Numbers are never used twice.
public struct TimerID: Hashable, Sendable {
    public let number: UInt64

    public init(number: UInt64) {
        self.number = number
    }
}

/// Time as the program sees it: the event loop in production, a clock moved by hand in tests.
public protocol LoopClock: AnyObject, Sendable {
    nonisolated var now: Instant { get }
    nonisolated var wall: WallTime { get }

    /// Runs the action once, on the loop, when `instant` has come.
    @Loop func schedule(at instant: Instant, _ action: @escaping @Loop () -> Void) -> TimerID

    /// Forgets a timer; one that has run or was cancelled already is ignored.
    @Loop func cancel(_ timer: TimerID)
}

extension LoopClock {
    /// Waits without holding the loop; returns early when the task is cancelled.
    @Loop public func sleep(for duration: Duration) async {
        await Gate(clock: self).wait(by: now.advanced(by: duration))
    }
}
