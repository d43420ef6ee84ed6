import Base
import GiphySearch

/// How the sources stand, for people and for admins.
enum SourceSentences {
    /// The calls of each source that counts them: `giphy 88 of 100 calls left`. `wall` is the time now.
    static func budgets(_ statuses: [SourceStatus], wall: WallTime) -> [String] {
        statuses.compactMap { status in
            status.budget.map { "\(status.name) \(calls($0, wall: wall))" }
        }
    }

    /// The same with what keeps a source from being asked; for admins.
    static func states(_ statuses: [SourceStatus], wall: WallTime) -> [String] {
        statuses.map { status in
            let words = [status.trouble.map(word), status.budget.map { calls($0, wall: wall) }].compactMap { $0 }
            return "\(status.name) " + (words.isEmpty ? "ready" : words.joined(separator: ", "))
        }
    }

    private static func calls(_ budget: BudgetStatus, wall: WallTime) -> String {
        let left = max(0, budget.rule.count - budget.used)
        let text = "\(left) of \(budget.rule.count) calls left"
        guard let wait = budget.returnsIn else { return text }
        return "\(text), next here in \(TimeSpan.text(wait)), at \(ClockTime.text(wall.advanced(by: wait))) UTC"
    }

    private static func word(_ trouble: SourceFailure) -> String {
        switch trouble {
        case .badKey: "key refused"
        case .rateLimited(let wait), .resting(let wait), .budgetUsedUp(let wait):
            "not asked for \(TimeSpan.text(wait))"
        case .badRequest, .unavailable, .timedOut, .cancelled: "in trouble"
        }
    }
}
