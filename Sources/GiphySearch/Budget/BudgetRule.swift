import Base

/// Never more than `count` calls in any `period`.
public struct BudgetRule: Hashable, Sendable {
    public static let largestCount = 100_000

    public let count: Int
    public let period: Duration

    public init(count: Int, period: Duration) {
        self.count = count
        self.period = period
    }

    /// `100/1h`; nil for anything else.
    public init?(configText text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), (1...Self.largestCount).contains(count),
            let period = Duration(configText: String(parts[1])), period <= .days(31)
        else { return nil }
        self.init(count: count, period: period)
    }
}
