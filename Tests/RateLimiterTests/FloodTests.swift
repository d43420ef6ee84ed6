import RateLimiter
import Testing

/// Far more people than the table holds; `make bench` has a million of them.
@Suite struct LimiterFloodTests {
    @Test(
        "Hundreds of thousands of users and 10,000 channels stay within the bound, and whoever was exhausted stays so")
    func many() throws {
        let limits = Limits()
        let troll = [try charge(.user, "troll", "2/1d")]
        #expect(limits.passed(troll, of: 3) == 2)
        let user = try RateLimitRule(parsing: "5/1m")
        let channel = try RateLimitRule(parsing: "10/1m")
        for number in 0..<300_000 {
            limits.now += .microseconds(100)
            let place = "#\(number % 10_000)"
            _ = limits.take([
                Charge(LimitKey(.user, network: "n", conversation: "", user: "u\(number)"), user),
                Charge(LimitKey(.channel, network: "n", conversation: place, user: ""), channel),
            ])
            limits.limiter.takeChanges { _ in }
        }
        #expect(limits.limiter.snapshot(at: limits.now).count <= 100_000)
        #expect(!limits.passes(troll))
    }
}
