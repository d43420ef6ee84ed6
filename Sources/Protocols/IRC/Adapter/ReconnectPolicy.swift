import Base
import IRC

/// How long to wait before the next try, so that no server ever bans us for coming back too fast.
struct ReconnectPolicy: Sendable {
    /// A connection that was online this long counts as good, and only then do the waits begin anew.
    static let goodConnection = Duration.seconds(300)
    /// Between tries that can't succeed until somebody acts (a certificate that ran out).
    static let lasting = Duration.seconds(300)
    /// A ban or a wrong password is tried again after the longest of the usual waits, then after twice that, up to so
    /// many of it: with ten minutes that is four times a day.
    static let mostOfLongest = 36

    private var backoff: Backoff
    private var refusals = 0

    init(_ waits: IRCSettings.Waits) {
        backoff = Backoff(first: waits.first, longest: waits.longest)
    }

    mutating func wasGood() {
        backoff.reset()
        refusals = 0
    }

    mutating func wait(after reason: CloseReason.Kind, spread: Double) -> Duration {
        switch reason {
        // Nothing has failed: the server sent us to its other port.
        case .insecure: return .zero
        case .asked, .normal, .loginUnavailable: return backoff.next(spread: spread)
        case .throttled:
            backoff.double()
            return backoff.next(spread: spread)
        case .killed:
            _ = backoff.next(spread: spread)
            return backoff.longest
        case .banned, .loginFailed:
            _ = backoff.next(spread: spread)
            defer { refusals += 1 }
            guard refusals > 0 else { return backoff.longest }
            return backoff.longest * min(1 << min(refusals, 10), Self.mostOfLongest) * (2.0 / 3.0 + spread / 3.0)
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
