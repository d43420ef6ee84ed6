import RateLimiter
import Testing

@Suite struct RateLimitRuleTests {
    @Test(
        arguments: [
            ("5/1m", 12_000_000_000, 5), ("5/m", 12_000_000_000, 5), ("1/30s", 30_000_000_000, 1),
            ("20/1h burst 5", 180_000_000_000, 5), (" 20/h  burst 40 ", 180_000_000_000, 40),
            ("1/366d", 31_622_400_000_000_000, 1), ("1000000/s", 1000, 1_000_000), ("7/1m", 8_571_428_568, 7),
        ] as [(String, Int64, Int64)])
    func reads(_ text: String, interval: Int64, burst: Int64) throws {
        let rule = try RateLimitRule(parsing: text)
        #expect(rule.interval == interval)
        #expect(rule.burst == burst)
    }

    @Test(
        "BUG-25: a limit of 0 and other rules that can't be",
        arguments: [
            ("", .shape), ("5", .shape), ("off", .shape), ("5/1m burst", .shape), ("5/1m bust 3", .shape),
            ("5/1m/1", .shape), ("5 / 1m", .shape), ("0/1m", .count), ("-1/1m", .count), ("+5/1m", .count),
            ("5.5/1m", .count), ("1000001/1m", .count), ("99999999999999999999/1m", .count), ("/1m", .count),
            ("٥/1m", .count), ("5/", .period), ("5/1", .period), ("5/0s", .period), ("5/1w", .period),
            ("5/1M", .period), ("5/-1m", .period), ("5/367d", .period), ("5/9223372036854775807d", .period),
            ("5/1m burst 0", .burst), ("5/1m burst x", .burst), ("1/1d burst 1000000", .refill),
            ("1/366d burst 1000000", .refill),
        ] as [(String, RateLimitRuleError)])
    func refuses(_ text: String, because error: RateLimitRuleError) {
        #expect(throws: error) { try RateLimitRule(parsing: text) }
        #expect(error.description.hasPrefix("expected"))
    }

    @Test(arguments: [
        ("5/1m", "5/1m", true), ("300/1h burst 5", "5/1m", true), ("4/1m", "5/1m", true),
        ("5/1m burst 6", "5/1m", false), ("6/1m burst 1", "5/1m", false), ("1/1h burst 5", "5/1m", true),
    ])
    func isTighter(_ rule: String, than other: String, _ expected: Bool) throws {
        #expect(try RateLimitRule(parsing: rule).isTighter(than: RateLimitRule(parsing: other)) == expected)
    }

    @Test(arguments: [1, 6, 7, 1_000_000] as [Int64]) func aMinuteOfTheProgramsOwnIsTheWrittenOne(count: Int64) throws {
        #expect(try RateLimitRule(perMinute: count) == RateLimitRule(parsing: "\(count)/1m"))
    }

    @Test func keepsTheTextForPeople() throws {
        #expect(try RateLimitRule(parsing: " 20/1h  burst 5").text == "20/1h burst 5")
    }
}

@Suite struct LimitKeyTests {
    @Test(arguments: LimitScope.allCases, ["", "a b", "100%", "%41", "tab\there", "#cats", "naïve🐱", "line\nend"])
    func textComesBack(_ scope: LimitScope, _ part: String) {
        let key = LimitKey(scope, network: part, conversation: part + "c", user: part + "u")
        #expect(LimitKey(text: key.text) == key)
        #expect(key.text.utf8.allSatisfy { $0 >= 0x20 })
        #expect(key.text.split(separator: " ", omittingEmptySubsequences: false).count == 4)
    }

    @Test(arguments: [
        "", "user", "user a b", "nobody a b c", "user a b c d", "global n  ", "user a%4 b c", "user %zz  c",
    ])
    func refuses(_ text: String) {
        #expect(LimitKey(text: text) == nil)
    }

    @Test func onlyTheScopesOwnPartsCount() {
        let keys = LimitScope.allCases.map { LimitKey($0, network: "n", conversation: "c", user: "u").text }
        #expect(keys == ["user n  u", "channel n c ", "user_in_channel n c u", "network n  ", "global   "])
    }
}
