import RateLimiter
import Testing

/// Token buckets as a textbook has them: a level that is topped up as time passes. Nothing is shared with the limiter.
private struct Reference {
    struct Bucket {
        /// In nanoseconds of the rule's refill, so topping up adds those that passed.
        var level: Int64
        var rule: RateLimitRule
        var at: Duration
        var busySince: Duration

        var full: Int64 { rule.interval * rule.burst }
    }

    var buckets: [LimitKey: Bucket] = [:]

    func bucket(_ charge: Charge, at now: Duration) -> Bucket {
        guard var bucket = buckets[charge.key] else {
            return Bucket(level: charge.rule.interval * charge.rule.burst, rule: charge.rule, at: now, busySince: now)
        }
        bucket.level = min(bucket.full, bucket.level + (now - bucket.at).wholeNanoseconds)
        bucket.at = now
        if charge.rule != bucket.rule {
            let used = bucket.full - bucket.level
            let before = bucket.rule.interval
            bucket.rule = charge.rule
            // As many tokens as before, a part of a nanosecond counted as whole.
            let scaled = (Int128(used) * Int128(charge.rule.interval) + Int128(before - 1)) / Int128(before)
            bucket.level = Int64(max(0, Int128(bucket.full) - scaled))
        }
        return bucket
    }

    mutating func take(_ charges: [Charge], quarters: Int64, at now: Duration) -> Duration? {
        let states = charges.map { bucket($0, at: now) }
        let costs = charges.map { $0.rule.interval / 4 * quarters }
        let waits = zip(states, costs).map { $1 - $0.level }
        if let longest = waits.max(), longest > 0 { return .nanoseconds(longest) }
        for ((charge, var state), cost) in zip(zip(charges, states), costs) {
            if state.level == state.full { state.busySince = now }
            state.level -= cost
            buckets[charge.key] = state
        }
        return nil
    }

    mutating func giveBack(_ charges: [Charge], quarters: Int64, taken: Duration, at now: Duration) {
        for charge in charges {
            guard var state = buckets[charge.key], state.busySince <= taken else { continue }
            state = bucket(Charge(charge.key, state.rule), at: now)
            state.level = min(state.full, state.level + state.rule.interval / 4 * quarters)
            buckets[charge.key] = state
        }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Below `bound`; cheap, and even enough for a test.
    mutating func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// One run: the limiter and the reference side by side, with a clock that jumps.
private struct Run {
    static let rules = ["1/1s", "5/1m", "7/1m burst 3", "20/1h burst 5", "3/2s burst 9"].compactMap {
        try? RateLimitRule(parsing: $0)
    }

    var random: SplitMix
    // A small table takes over the slots of full buckets, which must not show.
    var limiter = RateLimiter(capacity: 12, notesChanges: true)
    var reference = Reference()
    var charges: [Charge]
    var open: [(receipt: Receipt, charges: [Charge], quarters: Int64, taken: Duration)] = []
    let start = ContinuousClock.now
    /// What the clock says, and the latest it ever said: that is the time that counts.
    var clock = Duration.zero
    var latest = Duration.zero

    init(seed: UInt64) {
        random = SplitMix(state: seed)
        charges = (0..<11).map { number in
            Charge(
                LimitKey(LimitScope.allCases[number % 5], network: "n\(number)", conversation: "c\(number)", user: "u"),
                Self.rules[number % 5])
        }
        // All global keys are one.
        charges.remove(at: 9)
    }

    var moment: ContinuousClock.Instant { start.advanced(by: clock) }

    mutating func passTime() {
        clock += .nanoseconds(Int64(random.below(2_000_000_000)) >> Int64(random.below(13)))
        switch random.below(400) {
        case 0: clock += .seconds(random.below(8 * 3600))
        case 1: clock -= .seconds(random.below(3600))
        default: break
        }
        latest = max(latest, clock)
    }

    mutating func giveOneBack() {
        let given = open.remove(at: random.below(open.count))
        limiter.giveBack(given.receipt, at: moment)
        if random.below(2) == 0 { limiter.giveBack(given.receipt, at: moment) }
        reference.giveBack(given.charges, quarters: given.quarters, taken: given.taken, at: latest)
    }

    /// False when the two differ.
    mutating func take() -> Bool {
        let first = random.below(charges.count)
        let count = 1 + random.below(4)
        let picked = (0..<count).map { charges[(first + $0 * 3) % charges.count] }
        let quarters: Int64 = random.below(4) == 0 ? 1 : 4
        let expected = reference.take(picked, quarters: quarters, at: latest)
        let decision = limiter.take(picked, cost: LimitCost(quarters: quarters), at: moment)
        if let receipt = decision.receipt {
            open.append((receipt, picked, quarters, latest))
            if open.count > 8 { open.removeFirst() }
        }
        return decision.refusal?.retryAfter == expected
    }

    mutating func changeRule() {
        let place = random.below(charges.count)
        charges[place] = Charge(charges[place].key, Self.rules[random.below(Self.rules.count)])
    }

    func agreesOnWhatIsLeft(of charge: Charge) -> Bool {
        let level = reference.bucket(charge, at: latest).level
        return limiter.remaining(for: charge, at: moment).tokens == Int(level / charge.rule.interval)
    }
}

@Suite struct ModelTests {
    @Test("BUG-25: a million operations under a jumping clock decide as the reference does", arguments: 1...20)
    func decidesAsTheReference(_ seed: UInt64) throws {
        var run = Run(seed: seed)
        for step in 0..<50_000 {
            run.passTime()
            if !run.open.isEmpty, run.random.below(5) == 0 {
                run.giveOneBack()
            } else {
                guard run.take() else { throw Difference(step: step) }
            }
            // An even seed has a reload now and then.
            if seed % 2 == 0, run.random.below(50) == 0 { run.changeRule() }
            let isLeft = step % 8 != 0 || run.agreesOnWhatIsLeft(of: run.charges[step / 8 % run.charges.count])
            guard isLeft else { throw Difference(step: step) }
            run.limiter.takeChanges { _ in }
        }
    }

    private struct Difference: Error { let step: Int }
}
