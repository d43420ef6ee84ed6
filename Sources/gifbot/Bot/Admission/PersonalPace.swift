import Base
import Chat
import RateLimiter

/// So many of something for one person of a network, whatever the limits of a channel say.
struct PersonalPace {
    private let rule: RateLimitRule
    private var limiter = RateLimiter(capacity: 10_000)

    init(perMinute count: Int64) {
        rule = RateLimitRule(perMinute: count)
    }

    mutating func allows(_ sender: Sender, on network: String, at now: Instant) -> Bool {
        let key = LimitKey(.user, network: network, conversation: "", user: sender.key)
        return switch limiter.take([Charge(key, rule)], cost: .one, at: now) {
        case .admitted: true
        case .refused: false
        }
    }
}
