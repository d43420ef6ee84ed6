import Base
import Chat
import RateLimiter

/// Lines that aren't answers (usage, help, "nothing found") are told to one person a few times a minute, then silence:
/// another bot that answers every line of ours would go on for ever.
struct HintLimit {
    private static let rule = try? RateLimitRule(parsing: "4/1m")
    private var limiter = RateLimiter(capacity: 10_000)

    mutating func mayTell(_ sender: Sender, on network: String, at now: Instant) -> Bool {
        guard let rule = Self.rule else { return true }
        let key = LimitKey(.user, network: network, conversation: "", user: sender.key)
        return switch limiter.take([Charge(key, rule)], cost: .one, at: now) {
        case .admitted: true
        case .refused: false
        }
    }
}
