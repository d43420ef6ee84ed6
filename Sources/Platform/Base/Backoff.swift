/// Growing waits between tries: doubled each time up to a ceiling, spread by a third either way so that many clients
/// of a restarted server don't come back in the same second.
public struct Backoff: Sendable, Equatable {
    public let first: Duration
    public let longest: Duration
    private var failures = 0

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The wait before the next try. `spread` is a random number in 0..<1.
    public mutating func next(spread: Double) -> Duration {
        let doubled = first * (1 << min(failures, 20))
        failures += 1
        let base = min(doubled, longest)
        return min(base * (2.0 / 3.0 + spread * 2.0 / 3.0), longest)
    }

    /// Counts one more failure without waiting: a throttle doubles the next wait once more.
    public mutating func double() {
        failures += 1
    }

    public mutating func reset() {
        failures = 0
    }
}
