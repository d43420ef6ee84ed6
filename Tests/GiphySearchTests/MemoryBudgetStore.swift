import Base
import GiphySearch

/// Calls in memory alone.
@Loop final class MemoryBudgetStore: BudgetStore {
    private var calls: [String: [WallTime]] = [:]

    init() {}

    func calls(of account: String, since: WallTime) -> [WallTime] {
        (calls[account] ?? []).filter { $0 >= since }.sorted()
    }

    func record(callOf account: String, at time: WallTime) {
        calls[account, default: []].append(time)
    }

    func remove(callOf account: String, at time: WallTime) {
        guard let index = calls[account]?.lastIndex(of: time) else { return }
        calls[account]?.remove(at: index)
    }
}
