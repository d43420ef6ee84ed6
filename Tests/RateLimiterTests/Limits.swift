import RateLimiter
import Testing

/// A limiter with a clock moved by hand, spelled briefly.
final class Limits {
    static let start = ContinuousClock.now
    var limiter: RateLimiter
    var windows = RefusalWindows()
    var now = Limits.start

    init(capacity: Int = 100_000) {
        limiter = RateLimiter(capacity: capacity, notesChanges: true)
    }

    func wait(_ duration: Duration) {
        now = now.advanced(by: duration)
    }

    func take(_ charges: [Charge], cost: LimitCost = .one) -> Decision {
        limiter.take(charges, cost: cost, at: now)
    }

    /// Whether a refusal of these is told to the asker at this moment; nil when they pass.
    func tells(_ charges: [Charge], to asker: String = "ada", in place: String = "#cats") -> Bool? {
        take(charges).refusal.map { windows.mayTell(asker, of: $0, in: place, at: now) }
    }

    func passes(_ charges: [Charge], cost: LimitCost = .one) -> Bool {
        take(charges, cost: cost).receipt != nil
    }

    /// How many of so many tries at this moment pass.
    func passed(_ charges: [Charge], of tries: Int, cost: LimitCost = .one) -> Int {
        (0..<tries).count { _ in passes(charges, cost: cost) }
    }
}

extension Decision {
    var receipt: Receipt? {
        if case .admitted(let receipt) = self { receipt } else { nil }
    }

    var refusal: Refusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }
}

func charge(_ scope: LimitScope, _ name: String, _ rule: String) throws -> Charge {
    Charge(LimitKey(scope, network: "libera", conversation: name, user: name), try RateLimitRule(parsing: rule))
}
