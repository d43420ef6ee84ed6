typealias Instant = ContinuousClock.Instant

/// Where a session stands. Exits: idle → registering → online → quitting → closed, and from each of them to closed.
enum Phase: Sendable {
    /// Not connected yet.
    case idle
    case registering(Registration)
    case online
    /// QUIT is said; ends with the server's close or at the deadline.
    case quitting(until: Instant)
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
        case authenticating(isSent: Bool)
        /// CAP END was sent, or the server knows no CAP. Exit: welcomed.
        case ended
        /// 001 has come. Exit: online, with 376 or 422, or when neither comes.
        case welcomed
    }

    var step = Step.listing
    /// For the whole of it.
    let limit: Instant
    /// For the next answer.
    var stepLimit: Instant
    var nicksTried = 1

    var deadline: Instant { min(limit, stepLimit) }
}

/// What a handler is told about the moment of a line.
struct Moment: Sendable {
    let now: Instant
    /// Milliseconds since 1970.
    let wall: Int64
}
