import Base

/// Leaves a source alone that fails again and again, and lets one search at a time find out whether it is back.
struct CircuitBreaker: Equatable {
    private enum State: Equatable {
        /// Searches pass. To `open` when the failures in a row reach the threshold.
        case closed(failures: Int)
        /// No search passes until then; the first one after it makes it `probing`. To `closed` when a search that began
        /// earlier succeeds.
        case open(until: Instant)
        /// One search is out. To `closed` when it succeeds, to `open` when it fails or is given up.
        case probing
    }

    static let threshold = 3

    private var state = State.closed(failures: 0)
    private var backoff = Backoff(first: .seconds(10), longest: .minutes(5))

    /// How long the source is left alone; nil when it may be asked.
    func rest(at now: Instant) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let until): now < until ? now.duration(to: until) : nil
        case .probing: .seconds(1)
        }
    }

    /// A search is about to be sent.
    mutating func began() {
        if case .open = state { state = .probing }
    }

    mutating func succeeded() {
        state = .closed(failures: 0)
        backoff.reset()
    }

    /// `spread` is a random number in 0..<1.
    mutating func failed(at now: Instant, spread: Double) {
        switch state {
        case .closed(let failures) where failures + 1 < Self.threshold:
            state = .closed(failures: failures + 1)
        case .closed, .probing:
            state = .open(until: now.advanced(by: backoff.next(spread: spread)))
        case .open:
            break
        }
    }

    /// The search ended without telling anything about the source.
    mutating func gaveUp(at now: Instant) {
        if case .probing = state { state = .open(until: now) }
    }
}
