/// `N/T`: N pass at once, then one each T/N. `N/T burst B`: B pass at once.
public struct RateLimitRule: Hashable, Sendable {
    /// Nanoseconds in which one full token comes back (GCRA's emission interval).
    public let interval: Int64
    /// Tokens that a bucket at rest holds.
    public let burst: Int64
    /// As written, for people.
    public let text: String
}
