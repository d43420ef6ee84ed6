import Base

/// Why one source gave no answer.
public enum SourceFailure: Error, Equatable, Sendable {
    /// The source refuses the key; nothing but another key helps.
    case badKey(status: Int)
    /// The source wants to be left alone for a while.
    case rateLimited(retryIn: Duration)
    case budgetUsedUp(returnsIn: Duration)
    /// It failed again and again, and is not asked for a while.
    case resting(retryIn: Duration)
    /// The request is at fault; the same again gives the same.
    case badRequest(status: Int)
    /// Network, server or body; the text is for the log and holds no path, key or query.
    case unavailable(String)
    /// The time for the whole search is over.
    case timedOut
    /// Nobody waits any more.
    case cancelled

    /// Worth one more try at once.
    var isWorthARetry: Bool {
        if case .unavailable = self { true } else { false }
    }

    /// When it may go better, where that is known.
    var retryIn: Duration? {
        switch self {
        case .rateLimited(let wait), .budgetUsedUp(let wait), .resting(let wait): wait
        case .badKey, .badRequest, .unavailable, .timedOut, .cancelled: nil
        }
    }

    /// The same word for the same trouble, so that a log line comes on change alone.
    var kind: String {
        switch self {
        case .badKey: "key refused"
        case .rateLimited: "rate limited"
        case .budgetUsedUp: "budget used up"
        case .resting: "resting"
        case .badRequest: "bad request"
        case .unavailable: "unavailable"
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        }
    }
}

extension SourceFailure: CustomStringConvertible {
    /// For the log; without key, path or query.
    public var description: String {
        switch self {
        case .badKey(let status): "the key is refused (HTTP \(status)); the source is not asked until the key changes"
        case .rateLimited(let wait): "rate limited, not asked for \(wait.secondsRoundedUp) s"
        case .budgetUsedUp(let wait): "budget used up, returns in \(wait.secondsRoundedUp) s"
        case .resting(let wait): "failed several times, not asked for \(wait.secondsRoundedUp) s"
        case .badRequest(let status): "the request was refused (HTTP \(status))"
        case .unavailable(let reason): reason
        case .timedOut: "no answer in time"
        case .cancelled: "given up, since nobody waits"
        }
    }
}
