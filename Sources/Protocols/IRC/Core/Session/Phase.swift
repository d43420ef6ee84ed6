/// A moment, counted in nanoseconds from the session's beginning.
///
/// `ContinuousClock.Instant` has no fixed layout outside the standard library; a session that held some would be
/// copied and taken apart through tables at run time, on the path of every line.
struct Tick: Comparable, Sendable {
    var nanoseconds: Int64

    static func < (a: Tick, b: Tick) -> Bool { a.nanoseconds < b.nanoseconds }

    func advanced(by duration: Duration) -> Tick {
        Tick(nanoseconds: nanoseconds + duration.nanoseconds)
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// Where a session's ticks begin; a class for the same reason.
final class Origin: Sendable {
    private let instant: ContinuousClock.Instant

    init(_ instant: ContinuousClock.Instant) {
        self.instant = instant
    }

    func tick(_ moment: ContinuousClock.Instant) -> Tick {
        Tick(nanoseconds: instant.duration(to: moment).nanoseconds)
    }

    func instant(_ tick: Tick) -> ContinuousClock.Instant {
        instant.advanced(by: .nanoseconds(tick.nanoseconds))
    }
}

/// Where a session stands. Exits: idle → registering → online → quitting → closed, and from each of them to closed.
enum Phase: Sendable {
    /// Not connected yet.
    case idle
    case registering(Registration)
    case online
    /// QUIT is said, or we are banned; ends with the server's close or at the deadline.
    case quitting(until: Tick)
    case closed
}

/// From the connection to the end of the message of the day.
struct Registration: Sendable {
    enum Step: Equatable, Sendable {
        /// CAP LS was sent, more lines of it may come. Exits: requesting, ended.
        case listing
        /// Exits: authenticating, ended.
        case requesting
        /// Exits: ended, or the session closes.
        case authenticating
        /// CAP END was sent, or the server knows no CAP. Exit: welcomed.
        case ended
        /// 001 has come. Exit: online, with 376 or 422, or when neither comes.
        case welcomed
    }

    var step = Step.listing
    /// For the whole of it.
    let limit: Tick
    /// For the next answer.
    var stepLimit: Tick
    var nicksTried = 1
    /// When we say who we are, if the server says nothing before; nil once that is done.
    var introducesAt: Tick?

    var deadline: Tick { min(limit, stepLimit, introducesAt ?? limit) }
}

/// What a handler is told about the moment of a line.
struct Moment: Sendable {
    let now: Tick
    /// Milliseconds since 1970.
    let wall: Int64
}
