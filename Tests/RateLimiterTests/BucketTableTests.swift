import RateLimiter
import Testing

@Suite struct BucketTableTests {
    @Test func anExhaustedBucketSurvivesAFloodOfNames() throws {
        let limits = Limits(capacity: 100)
        let ada = [try charge(.user, "ada", "1/1h")]
        #expect(limits.passes(ada))
        let flood = try (0..<10_000).map { try charge(.user, "bot\($0)", "2/1h") }
        for each in flood { _ = limits.take([each]) }
        #expect(!limits.passes(ada))
    }

    @Test func whenAllAreExhaustedNewNamesShareOneBucket() throws {
        let limits = Limits(capacity: 10)
        let flood = try (0..<100).map { try charge(.user, "bot\($0)", "1/1h") }
        let passed = flood.count { limits.passes([$0]) }
        #expect(passed == 11)
        #expect(limits.limiter.remaining(for: flood[50], at: limits.now).tokens == 0)
        limits.wait(.seconds(3600))
        let again = flood.count { limits.passes([$0]) }
        #expect(again == 11)
    }

    @Test func theSharedBucketTakesGiveBacksToo() throws {
        let limits = Limits(capacity: 1)
        #expect(limits.passes([try charge(.user, "ada", "1/1h")]))
        let receipt = try #require(limits.take([try charge(.user, "bo", "1/1h")]).receipt)
        #expect(!limits.passes([try charge(.user, "cy", "1/1h")]))
        limits.limiter.giveBack(receipt, at: limits.now)
        #expect(limits.passes([try charge(.user, "cy", "1/1h")]))
        #expect(!limits.passes([try charge(.user, "bo", "1/1h")]))
    }

    @Test func fullBucketsGoBeforePartlyUsedOnes() throws {
        let limits = Limits(capacity: 2)
        let slow = [try charge(.user, "slow", "2/1h")]
        let quick = [try charge(.user, "quick", "2/1s")]
        #expect(limits.passes(slow))
        #expect(limits.passes(quick))
        limits.wait(.seconds(1))
        #expect(limits.passes([try charge(.user, "new", "1/1h")]))
        #expect(limits.limiter.remaining(for: slow[0], at: limits.now).tokens == 1)
        // Now only the partly used one can go.
        #expect(limits.passes([try charge(.user, "newer", "1/1h")]))
        #expect(limits.passes([try charge(.user, "newest", "1/1h")]))
        #expect(!limits.passes([try charge(.user, "last", "1/1h")]))
    }

    @Test func moreKeysThanTheTableHolds() throws {
        let limits = Limits(capacity: 1)
        let keys = try LimitScope.allCases.map { try charge($0, "x", "2/1h") }
        let passed = limits.passed(keys, of: 9)
        #expect((2...3).contains(passed))
    }

    @Test func aFloodOfUsersStaysWithinTheBound() throws {
        let limits = Limits(capacity: 500)
        let user = try RateLimitRule(parsing: "5/1m")
        let wide = Charge(
            LimitKey(.global, network: "", conversation: "", user: ""), try RateLimitRule(parsing: "1000000/1s"))
        for number in 0..<5000 {
            let name = "user\(number)@host"
            limits.wait(.milliseconds(1))
            let keys = [
                Charge(LimitKey(.user, network: "libera", conversation: "", user: name), user),
                Charge(LimitKey(.userInChannel, network: "libera", conversation: "#c", user: name), user),
                wide,
            ]
            #expect(limits.passes(keys))
        }
        #expect(limits.limiter.snapshot(at: limits.now).count == 500)
    }

    @Test func snapshotAndRestore() throws {
        let limits = Limits()
        let ada = try charge(.user, "ada lovelace", "2/1m")
        let cats = try charge(.channel, "#cats", "3/1m")
        let idle = try charge(.user, "idle", "1/1s")
        #expect(limits.passes([ada, cats]))
        #expect(limits.passes([ada, cats]))
        #expect(limits.passes([idle]))
        limits.wait(.seconds(10))
        let saved = limits.limiter.snapshot(at: limits.now)
        #expect(Set(saved.map(\.key)) == [ada.key, cats.key])

        let later = Limits()
        later.now = limits.now.advanced(by: .seconds(5))
        later.limiter.restore(saved, at: later.now)
        #expect(later.limiter.remaining(for: ada, at: later.now) == limits.limiter.remaining(for: ada, at: limits.now))
        #expect(
            later.limiter.remaining(for: cats, at: later.now) == limits.limiter.remaining(for: cats, at: limits.now))
        #expect(!later.passes([ada, cats]))
        later.wait(.seconds(20))
        #expect(later.passes([ada, cats]))
    }

    @Test func restoreStaysWithinBounds() throws {
        let limits = Limits(capacity: 3)
        let many = (0..<9).map {
            SavedLimit(
                key: LimitKey(.user, network: "n", conversation: "", user: "\($0)"), fullIn: .seconds(Int64.max),
                interval: 0)
        }
        limits.limiter.restore(many + many, at: limits.now)
        #expect(limits.limiter.snapshot(at: limits.now).count == 3)
        limits.limiter.restore(
            [
                SavedLimit(
                    key: LimitKey(.global, network: "", conversation: "", user: ""), fullIn: .seconds(-5), interval: 0)
            ],
            at: limits.now)
        #expect(limits.limiter.snapshot(at: limits.now).count == 3)
    }
}
