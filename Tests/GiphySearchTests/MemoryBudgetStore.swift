import Base
import GiphySearch

/// Calls in memory alone.
@Loop final class MemoryBudgetStore: BudgetStore {
    private var calls: [String: [SpentCall]] = [:]

    init() {}

    func calls(of account: String, since: WallTime) -> [SpentCall] {
        (calls[account] ?? []).filter { $0.at >= since }.sorted { $0.at < $1.at }
    }

    func record(callOf account: String, by share: String, at time: WallTime) {
        calls[account, default: []].append(SpentCall(at: time, share: share))
    }

    func remove(callOf account: String, by share: String, at time: WallTime) {
        guard let index = calls[account]?.lastIndex(of: SpentCall(at: time, share: share)) else { return }
        calls[account]?.remove(at: index)
    }
}
