import Base
import GiphySearch

/// Calls that count against a budget, by account. Times are sorted; a wall clock set back puts one in the middle.
struct SpentCalls: Sendable {
    /// Twice what any budget allows. Beyond it the newest are kept, as many as the largest budget has: older ones change no
    /// answer, and so many at once go that moving the rest is seldom.
    static let perAccount = 2 * BudgetRule.largestCount

    private var times: [String: [SpentCall]] = [:]
    /// The longest window asked for, by account: what is older may go.
    private var windows: [String: Duration] = [:]

    func calls(of account: String, since: WallTime) -> [SpentCall] {
        guard let all = times[account] else { return [] }
        return Array(all[Self.place(of: since, in: all)...])
    }

    mutating func note(window: Duration, of account: String) {
        windows[account] = max(window, windows[account] ?? .zero)
    }

    mutating func record(_ account: String, _ call: SpentCall) {
        var all = times.removeValue(forKey: account) ?? []
        if let last = all.last, call.at < last.at {
            all.insert(call, at: Self.place(of: call.at, in: all))
        } else {
            all.append(call)
        }
        if all.count > Self.perAccount { all.removeFirst(all.count - BudgetRule.largestCount) }
        times[account] = all
    }

    /// False when there is no such call.
    mutating func remove(_ account: String, _ call: SpentCall) -> Bool {
        guard let all = times[account] else { return false }
        let same = all[Self.place(of: call.at, in: all)...].prefix { $0.at == call.at }
        guard let place = same.firstIndex(of: call) else { return false }
        times[account]?.remove(at: place)
        return true
    }

    /// Drops what no window reaches; a day more is kept, since the wall clock may be set back. Says what went.
    mutating func forget(at now: WallTime) -> [(account: String, before: WallTime)] {
        var gone: [(account: String, before: WallTime)] = []
        for (account, all) in times {
            let window = min(windows[account] ?? Retention.span, Retention.span) + .days(1)
            let before = now.advanced(by: .zero - window)
            let place = Self.place(of: before, in: all)
            guard place > 0 else { continue }
            times[account]?.removeFirst(place)
            gone.append((account, before))
        }
        return gone
    }

    /// The first place that isn't before the time.
    private static func place(of time: WallTime, in all: [SpentCall]) -> Int {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].at < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

enum Retention {
    /// Ids of what was shown or answered, and limiter keys, go after this.
    static let span = Duration.days(30)
}
