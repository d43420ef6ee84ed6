import RateLimiter
import Testing

@Suite struct RateLimiterTests {
    @Test func burstThenOneEachInterval() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "5/1m")]
        #expect(limits.passed(ada, of: 9) == 5)
        limits.wait(.nanoseconds(11_999_999_999))
        #expect(limits.passed(ada, of: 9) == 0)
        limits.wait(.nanoseconds(1))
        #expect(limits.passed(ada, of: 9) == 1)
        limits.wait(.seconds(30))
        #expect(limits.passed(ada, of: 9) == 2)
        limits.wait(.seconds(6))
        #expect(limits.passed(ada, of: 9) == 1)
    }

    @Test func burstOfItsOwn() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "20/1h burst 3")]
        #expect(limits.passed(ada, of: 9) == 3)
        limits.wait(.seconds(180))
        #expect(limits.passed(ada, of: 9) == 1)
    }

    @Test("BUG-25: after a long sleep there is one burst and no more")
    func neverAboveTheBurst() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "3/1m")]
        #expect(limits.passed(ada, of: 9) == 3)
        limits.wait(.seconds(8 * 3600))
        #expect(limits.passed(ada, of: 9) == 3)
    }

    @Test("BUG-25: a clock that runs backwards neither locks nor opens a limit")
    func backwards() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "3/1m")]
        #expect(limits.passed(ada, of: 3) == 3)
        limits.wait(.seconds(-3600))
        #expect(limits.take(ada).refusal?.retryAfter == .seconds(20))
        limits.wait(.seconds(3620))
        #expect(limits.passed(ada, of: 9) == 1)
    }

    @Test("BUG-25: fractional refill", arguments: ["7/1m", "3/1s", "11/1h burst 11", "1000/7s burst 1000"])
    func fractional(_ rule: String) throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", rule)]
        let burst = Int(ada[0].rule.burst)
        #expect(limits.passed(ada, of: burst + 1) == burst)
        for _ in 0..<50 {
            limits.wait(.nanoseconds(ada[0].rule.interval))
            #expect(limits.passed(ada, of: 2) == 1)
        }
        let period: Duration = rule.contains("1m") ? .seconds(60) : .seconds(1)
        guard rule == "7/1m" || rule == "3/1s" else { return }
        limits.wait(period)
        #expect(limits.passed(ada, of: burst + 1) == burst)
    }

    @Test func quartersAreExact() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "7/1m")]
        #expect(limits.passed(ada, of: 99, cost: .quarter) == 28)
        limits.wait(.nanoseconds(ada[0].rule.interval / 4))
        #expect(limits.passed(ada, of: 9, cost: .quarter) == 1)
        #expect(limits.passed(ada, of: 9, cost: .nothing) == 9)
    }

    @Test func whatCostsMoreThanTheBurstPassesAFullBucket() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "1/1m")]
        #expect(limits.passed(ada, of: 2, cost: LimitCost(quarters: .max)) == 1)
        limits.wait(.seconds(60))
        #expect(limits.passed(ada, of: 2, cost: LimitCost(quarters: 9)) == 1)
    }

    @Test func allKeysOrNone() throws {
        let limits = Limits()
        let ada = try charge(.user, "ada", "5/1m")
        let cats = try charge(.channel, "#cats", "2/1m")
        #expect(limits.passed([ada, cats], of: 5) == 2)
        #expect(limits.passed([cats, ada], of: 5) == 0)
        #expect(limits.limiter.remaining(for: ada, at: limits.now).tokens == 3)
        #expect(limits.passed([ada], of: 5) == 3)
    }

    @Test func theLimitThatHoldsLongestIsTold() throws {
        let limits = Limits()
        let both = [try charge(.user, "ada", "1/1m"), try charge(.channel, "#cats", "1/2m")]
        #expect(limits.passes(both))
        let refusal = limits.take(both).refusal
        #expect(refusal?.scope == .channel)
        #expect(refusal?.retryAfter == .seconds(120))
        limits.wait(.seconds(90))
        #expect(limits.take(both).refusal?.retryAfter == .seconds(30))
    }

    @Test func noLimitNoRefusal() {
        let limits = Limits()
        #expect(limits.passed([], of: 10) == 10)
    }

    @Test func aTighterRuleHoldsAtOnceAndNeverLongerThanItsOwnRefill() throws {
        let limits = Limits()
        #expect(limits.passed([try charge(.user, "ada", "100/1h")], of: 100) == 100)
        let refusal = limits.take([try charge(.user, "ada", "2/1m")]).refusal
        #expect(refusal?.retryAfter == .seconds(30))
    }

    @Test("What was used stays used, whatever the new rule", arguments: [("5/1m", "5/10m"), ("5/10m", "5/1m")])
    func usedStaysUsed(_ before: String, _ after: String) throws {
        let limits = Limits()
        #expect(limits.passed([try charge(.user, "ada", before)], of: 3) == 3)
        let now = try charge(.user, "ada", after)
        #expect(limits.limiter.remaining(for: now, at: limits.now).tokens == 2)
        #expect(limits.passed([now], of: 9) == 2)
        limits.wait(.nanoseconds(now.rule.interval))
        #expect(limits.passed([now], of: 9) == 1)
    }

    @Test func whatWasTakenUnderAnotherRuleIsGivenBackAsMuch() throws {
        let limits = Limits()
        let receipt = try #require(limits.take([try charge(.user, "ada", "5/10m")]).receipt)
        let now = try charge(.user, "ada", "5/1m")
        #expect(limits.passed([now], of: 9) == 4)
        limits.limiter.giveBack(receipt, at: limits.now)
        #expect(limits.passed([now], of: 9) == 1)
    }

    @Test func remainingSaysWhatIsLeft() throws {
        let limits = Limits()
        let ada = try charge(.user, "ada", "5/1m")
        #expect(
            limits.limiter.remaining(for: ada, at: limits.now) == Remaining(tokens: 5, nextIn: .zero, fullIn: .zero))
        #expect(limits.passes([ada]))
        #expect(limits.passes([ada], cost: .quarter))
        #expect(
            limits.limiter.remaining(for: ada, at: limits.now)
                == Remaining(tokens: 3, nextIn: .seconds(3), fullIn: .seconds(15)))
        limits.wait(.seconds(3))
        #expect(
            limits.limiter.remaining(for: ada, at: limits.now)
                == Remaining(tokens: 4, nextIn: .seconds(12), fullIn: .seconds(12)))
    }
}

@Suite struct RefusalWindowTests {
    @Test func toldOnceForAtLeastAMinute() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "1/10s")]
        #expect(limits.passes(ada))
        #expect(limits.tells(ada) == true)
        #expect(limits.tells(ada) == false)
        limits.wait(.seconds(10))
        #expect(limits.passes(ada))
        limits.wait(.nanoseconds(49_999_999_999))
        #expect(limits.passes(ada))
        #expect(limits.tells(ada) == false)
        limits.wait(.nanoseconds(1))
        #expect(limits.tells(ada) == true)
    }

    @Test func toldOnceUntilTheNextCouldPass() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "1/1h")]
        #expect(limits.passes(ada))
        #expect(limits.tells(ada) == true)
        limits.wait(.nanoseconds(3_599_999_999_999))
        #expect(limits.tells(ada) == false)
        limits.wait(.nanoseconds(1))
        #expect(limits.passes(ada))
        #expect(limits.tells(ada) == true)
    }

    @Test func eachLimitAndEachPlaceHasItsOwn() throws {
        let limits = Limits()
        let world = try charge(.global, "", "1/1h")
        let ada = try charge(.user, "ada", "1/2h")
        #expect(limits.passes([world, ada]))
        #expect(limits.tells([world], in: "#cats") == true)
        #expect(limits.tells([world], in: "#dogs") == true)
        #expect(limits.tells([world], in: "#cats") == false)
        #expect(limits.tells([world, ada], in: "#cats") == true)
    }

    @Test("Told in private, each asker hears it once; told to all, nobody hears it again")
    func askers() throws {
        let limits = Limits()
        let cats = [try charge(.channel, "#cats", "1/1h")]
        #expect(limits.passes(cats))
        #expect(limits.tells(cats, to: "ada") == true)
        #expect(limits.tells(cats, to: "bo") == true)
        #expect(limits.tells(cats, to: "ada") == false)
        let refusal = try #require(limits.take(cats).refusal)
        limits.windows.toldAll(of: refusal, in: "#cats")
        #expect(limits.tells(cats, to: "cy") == false)
        limits.wait(.seconds(3600))
        #expect(limits.passes(cats))
        #expect(limits.tells(cats, to: "cy") == true)
    }

    @Test("A crowd doesn't make the bot talk without end")
    func crowd() throws {
        let limits = Limits()
        let cats = [try charge(.channel, "#cats", "1/1h")]
        #expect(limits.passes(cats))
        let told = (0..<1000).count { limits.tells(cats, to: "user\($0)") == true }
        #expect(told == 8)
    }

    @Test func manyWindowsStayWithinTheBound() throws {
        let limits = Limits()
        let cats = [try charge(.channel, "#cats", "1/1h")]
        #expect(limits.passes(cats))
        let told = (0..<25_000).count { limits.tells(cats, in: "#room\($0)") == true }
        #expect(told == 25_000)
        #expect(limits.tells(cats, in: "#room24999") == false)
    }
}

@Suite struct GiveBackTests {
    @Test func onceAndNeverAboveTheBurst() throws {
        let limits = Limits()
        let keys = [try charge(.user, "ada", "2/1m"), try charge(.channel, "#cats", "3/1m")]
        let receipt = try #require(limits.take(keys).receipt)
        #expect(limits.passes(keys))
        limits.limiter.giveBack(receipt, at: limits.now)
        limits.limiter.giveBack(receipt, at: limits.now)
        #expect(limits.passed(keys, of: 9) == 1)
        limits.wait(.seconds(3600))
        limits.limiter.giveBack(receipt, at: limits.now)
        #expect(limits.passed(keys, of: 9) == 2)
    }

    @Test func whatCameBackByItselfIsNotGivenTwice() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "1/1m")]
        let receipt = try #require(limits.take(ada).receipt)
        limits.wait(.seconds(60))
        #expect(limits.passes(ada))
        limits.limiter.giveBack(receipt, at: limits.now)
        #expect(!limits.passes(ada))
    }

    @Test func quartersComeBackAsQuarters() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "1/1m")]
        let receipt = try #require(limits.take(ada, cost: .quarter).receipt)
        #expect(limits.passed(ada, of: 9, cost: .quarter) == 3)
        limits.limiter.giveBack(receipt, at: limits.now)
        #expect(limits.passed(ada, of: 9, cost: .quarter) == 1)
    }

    @Test func aReceiptOfLongAgoIsVoid() throws {
        let limits = Limits()
        let ada = [try charge(.user, "ada", "1/1d")]
        let receipt = try #require(limits.take(ada).receipt)
        for _ in 0..<65_536 { _ = limits.take([]) }
        limits.limiter.giveBack(receipt, at: limits.now)
        #expect(!limits.passes(ada))
    }
}

@Suite struct KeptChangeTests {
    private func changes(_ limits: Limits) -> [LimitChange] {
        var all: [LimitChange] = []
        limits.limiter.takeChanges { all.append($0) }
        return all
    }

    @Test func whatIsChargedAndGivenBackIsTold() throws {
        let limits = Limits()
        let ada = try charge(.user, "ada", "2/1m")
        let receipt = try #require(limits.take([ada]).receipt)
        #expect(
            changes(limits) == [.used(SavedLimit(key: ada.key, fullIn: .seconds(30), interval: 30_000_000_000))])
        limits.wait(.seconds(10))
        limits.limiter.giveBack(receipt, at: limits.now)
        #expect(changes(limits) == [.used(SavedLimit(key: ada.key, fullIn: .zero, interval: 30_000_000_000))])
        _ = limits.take([ada], cost: .nothing)
        #expect(changes(limits) == [])
    }

    @Test("All changes of a table that is too small, one after the other, give what the table holds")
    func replayed() throws {
        let limits = Limits(capacity: 50)
        var kept: [LimitKey: ContinuousClock.Instant] = [:]
        for number in 0..<5000 {
            let keys = [try charge(.user, "\(number % 173)", "3/1s"), try charge(.channel, "\(number % 7)", "9/2s")]
            let decision = limits.take(keys)
            if number % 5 == 0, let receipt = decision.receipt { limits.limiter.giveBack(receipt, at: limits.now) }
            for change in changes(limits) {
                switch change {
                case .used(let limit): kept[limit.key] = limits.now.advanced(by: limit.fullIn)
                case .gone(let key): kept[key] = nil
                }
            }
            limits.wait(.milliseconds(7))
        }
        let held = limits.limiter.snapshot(at: limits.now)
        #expect(!held.isEmpty && kept.count <= 50)
        let left = kept.filter { $0.value > limits.now }.mapValues { limits.now.duration(to: $0) }
        #expect(left == Dictionary(uniqueKeysWithValues: held.map { ($0.key, $0.fullIn) }))
    }
}
