/// One limit that a command meets: the bucket, and the rule in force for it.
public struct Charge: Hashable, Sendable {
    public let key: LimitKey
    public let rule: RateLimitRule

    public init(_ key: LimitKey, _ rule: RateLimitRule) {
        self.key = key
        self.rule = rule
    }
}

/// What a command costs, in quarters of a token, so that no sum is ever rounded.
public struct LimitCost: Hashable, Sendable {
    public let quarters: Int64

    public init(quarters: Int64) {
        self.quarters = max(0, quarters)
    }

    /// Help and the like.
    public static let nothing = LimitCost(quarters: 0)
    /// A page turn, a send, an edit: 0.25.
    public static let quarter = LimitCost(quarters: 1)
    /// A search.
    public static let one = LimitCost(quarters: 4)

    /// The cost as time under a rule, at most the whole bucket: what costs more than the burst would never pass.
    func nanoseconds(under rule: RateLimitRule) -> Int64 {
        nanoseconds(under: rule, token: rule.interval)
    }

    /// The same where a token takes another time by now.
    func nanoseconds(under rule: RateLimitRule, token interval: Int64) -> Int64 {
        interval / 4 * min(quarters, 4 * rule.burst)
    }
}

public enum Decision: Sendable {
    case admitted(Receipt)
    case refused(Refusal)
}

/// Proof of what was charged, to give it back with.
public struct Receipt: Sendable {
    let number: UInt64
    let charges: [Charge]
    let cost: LimitCost
    /// The limiter's time of the charge.
    let time: Int64
    /// Scopes whose charge went to the shared bucket, one bit each.
    var shared: UInt8 = 0
}

public struct Refusal: Hashable, Sendable {
    /// The limit that holds longest.
    public let key: LimitKey
    /// After this all limits would let the command through, if nobody else asks meanwhile.
    public let retryAfter: Duration

    public init(key: LimitKey, retryAfter: Duration) {
        self.key = key
        self.retryAfter = retryAfter
    }

    public var scope: LimitScope { key.scope }
}

/// What is left of one limit.
public struct Remaining: Hashable, Sendable {
    /// Commands of full cost that would pass now.
    public let tokens: Int
    /// Until one more would pass than now; zero when the bucket is full.
    public let nextIn: Duration
    /// Until all are back.
    public let fullIn: Duration

    public init(tokens: Int, nextIn: Duration, fullIn: Duration) {
        self.tokens = tokens
        self.nextIn = nextIn
        self.fullIn = fullIn
    }
}

/// One bucket in use, for keeping over a restart.
public struct SavedLimit: Hashable, Sendable {
    public let key: LimitKey
    public let fullIn: Duration
    /// Nanoseconds of a token under the rule that it was charged by; 0 when that isn't known.
    public let interval: Int64

    public init(key: LimitKey, fullIn: Duration, interval: Int64) {
        self.key = key
        self.fullIn = fullIn
        self.interval = interval
    }
}

/// What became of one bucket.
public enum LimitChange: Hashable, Sendable {
    case used(SavedLimit)
    /// It gave way to another name's.
    case gone(LimitKey)
}
