import Base
import Chat
import RateLimiter

/// Lines that aren't answers (usage, help, "nothing found") are told to one person a few times a minute, then silence:
/// another bot that answers every line of ours would go on for ever.
struct HintLimit {
    private var pace = PersonalPace("6/1m")

    mutating func mayTell(_ sender: Sender, on network: String, at now: Instant) -> Bool {
        pace.allows(sender, on: network, at: now)
    }
}

/// So many of something for one person of a network, whatever the limits of a channel say.
struct PersonalPace {
    private let rule: RateLimitRule?
    private var limiter = RateLimiter(capacity: 10_000)

    init(_ rule: String) {
        self.rule = try? RateLimitRule(parsing: rule)
    }

    mutating func allows(_ sender: Sender, on network: String, at now: Instant) -> Bool {
        guard let rule else { return true }
        let key = LimitKey(.user, network: network, conversation: "", user: sender.key)
        return switch limiter.take([Charge(key, rule)], cost: .one, at: now) {
        case .admitted: true
        case .refused: false
        }
    }
}
