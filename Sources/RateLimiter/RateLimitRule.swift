/// `N/T`: N pass at once, then one each T/N. `N/T burst B`: B pass at once.
public struct RateLimitRule: Hashable, Sendable {
    /// Nanoseconds in which one full token comes back (GCRA's emission interval). Always four whole quarters, rounded
    /// down by less than 4 ns, so that N tokens are surely back when T has passed.
    public let interval: Int64
    /// Tokens that a bucket at rest holds.
    public let burst: Int64
    /// As written, for people.
    public let text: String

    /// Nanoseconds in which an empty bucket fills.
    public var capacity: Int64 { interval * burst }

    /// Reads `5/1m`, `5/m` or `20/1h burst 5`; units are s, m, h and d.
    public init(parsing text: String) throws(RateLimitRuleError) {
        let words = text.split(separator: " ")
        guard let rate = words.first, words.count == 1 || words.count == 3 && words[1] == "burst" else { throw .shape }
        let parts = rate.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .shape }
        guard let count = wholeNumber(parts[0]), Self.counts.contains(count) else { throw .count }
        guard let period = Self.nanoseconds(parts[1]) else { throw .period }
        var burst = count
        if words.count == 3 {
            guard let given = wholeNumber(words[2]), Self.counts.contains(given) else { throw .burst }
            burst = given
        }
        let interval = Self.interval(of: count, in: period)
        let (capacity, isTooBig) = interval.multipliedReportingOverflow(by: burst)
        guard !isTooBig, capacity <= Self.longestRefill else { throw .refill }
        self.interval = interval
        self.burst = burst
        self.text = words.joined(separator: " ")
    }

    /// `count/1m`, for rules that the program itself makes.
    public init(perMinute count: Int64) {
        precondition(Self.counts.contains(count))
        self.init(interval: Self.interval(of: count, in: 60 * 1_000_000_000), burst: count, text: String(count) + "/1m")
    }

    /// Tighter or equal: lets through neither faster nor more at once.
    public func isTighter(than other: RateLimitRule) -> Bool {
        interval >= other.interval && burst <= other.burst
    }

    /// The tighter of the two, or where neither is, the slower one's rate with the smaller burst.
    public func tightened(by other: RateLimitRule) -> RateLimitRule {
        if isTighter(than: other) { return self }
        if other.isTighter(than: self) { return other }
        let slower = interval >= other.interval ? self : other
        let burst = min(self.burst, other.burst)
        let rate = slower.text.prefix { $0 != " " }
        return RateLimitRule(interval: slower.interval, burst: burst, text: "\(rate) burst \(burst)")
    }

    private init(interval: Int64, burst: Int64, text: String) {
        self.interval = interval
        self.burst = burst
        self.text = text
    }

    /// Far beyond any use, and small enough that a quarter of a token is never rounded to nothing.
    private static let counts: ClosedRange<Int64> = 1...1_000_000
    private static let longestPeriod: Int64 = 366 * 86400
    /// Ten years; keeps every sum below within Int64.
    static let longestRefill: Int64 = 3650 * 86400 * 1_000_000_000

    private static func interval(of count: Int64, in period: Int64) -> Int64 { period / (4 * count) * 4 }

    private static func nanoseconds(_ period: Substring) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let last = period.last, let unit = units[last] else { return nil }
        let digits = period.dropLast()
        guard let count = digits.isEmpty ? 1 : wholeNumber(digits), count > 0, count <= longestPeriod / unit else {
            return nil
        }
        return count * unit * 1_000_000_000
    }
}

/// What is wrong with a rule, in words that say what was expected.
public enum RateLimitRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    case shape, count, period, burst, refill

    public var description: String {
        switch self {
        case .shape: "expected a rule such as 5/1m or 20/1h burst 5"
        case .count: "expected a whole number from 1 to 1000000 before the /"
        case .period: "expected a time such as 30s, 1m, 2h or 1d after the /, at most 366d"
        case .burst: "expected a whole number from 1 to 1000000 after burst"
        case .refill: "expected a burst that comes back within ten years"
        }
    }
}

/// Decimal digits and nothing else; Swift's own reader takes a sign too.
private func wholeNumber(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        return nil
    }
    return Int64(text)
}
