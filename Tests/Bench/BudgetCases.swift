import Base
import GiphySearch

/// Whether a channel may make a call, with many others about: the loop waits meanwhile.
@Loop enum BudgetCases {
    static func run(_ measure: Measure) {
        for channels in [200, 4096] {
            for (name, limit) in [("may", channels * 2), ("when may", channels)] {
                let budget = Budget(
                    account: "bench", rule: BudgetRule(count: limit, period: .hours(1)), store: SpentStore(channels),
                    clock: RunningClock(), channels: channels)
                let last = "c\(channels - 1)"
                measure("budget: \(name) a channel call, with \(channels) active ones") { count in
                    for _ in 0..<count { use(budget.wait(for: last)) }
                }
            }
        }
    }
}

/// Each channel made one call a moment ago.
@Loop private final class SpentStore: BudgetStore {
    private let channels: Int

    init(_ channels: Int) {
        self.channels = channels
    }

    func calls(of account: String, since: WallTime) -> [SpentCall] {
        let now = RunningClock().wall
        return (0..<channels).map { number in
            SpentCall(at: WallTime(milliseconds: now.milliseconds - Int64(channels - number)), share: "c\(number)")
        }
    }

    func record(callOf account: String, by share: String, at time: WallTime) {}
    func remove(callOf account: String, by share: String, at time: WallTime) {}
}
