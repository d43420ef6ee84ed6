import Base
import IRC

/// How long to wait before the next try, so that no server ever bans us for coming back too fast.
struct ReconnectPolicy: Sendable {
    /// A connection that was online this long counts as good, and only then do the waits begin anew.
    static let goodConnection = Duration.seconds(300)
    /// Between tries that can't succeed until somebody acts (a certificate that ran out).
    static let lasting = Duration.seconds(300)

    private var backoff: Backoff

    init(first: Duration, longest: Duration) {
        backoff = Backoff(first: first, longest: longest)
    }

    mutating func wasGood() {
        backoff.reset()
    }

    mutating func wait(after reason: CloseReason.Kind, spread: Double) -> Duration {
        switch reason {
        // Nothing has failed: the server sent us to its other port.
        case .insecure: return .zero
        case .asked, .normal, .loginUnavailable: return backoff.next(spread: spread)
        case .throttled:
            backoff.double()
            return backoff.next(spread: spread)
        case .banned, .killed, .loginFailed:
            _ = backoff.next(spread: spread)
            return backoff.longest
        }
    }

    mutating func wait(after end: IRCLinkEnd.Kind, spread: Double) -> Duration {
        switch end {
        case .byPeer, .failed: return wait(after: .normal, spread: spread)
        case .refused: return wait(after: .throttled, spread: spread)
        case .lasting: return max(wait(after: .normal, spread: spread), min(Self.lasting, backoff.longest))
        }
    }
}
