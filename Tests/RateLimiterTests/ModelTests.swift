import RateLimiter
import Testing

/// Token buckets as a textbook has them: a level that is topped up as time passes. Nothing is shared with the limiter.
private struct Reference {
    struct Bucket {
        var level: Int64
        var rule: RateLimitRule
        var at: Duration
        var busySince: Duration
    }

    var buckets: [LimitKey: Bucket] = [:]

    /// Levels are in quarters times a quarter's nanoseconds, so topping up adds the nanoseconds that passed.
    func bucket(_ charge: Charge, at now: Duration) -> Bucket {
        let full = charge.rule.interval * charge.rule.burst
        guard var bucket = buckets[charge.key] else {
            return Bucket(level: full, rule: charge.rule, at: now, busySince: now)
        }
        bucket.level = min(full, bucket.level + (now - bucket.at).wholeNanoseconds)
        bucket.at = now
        return bucket
    }

    mutating func take(_ charges: [Charge], quarters: Int64, at now: Duration) -> Duration? {
        let states = charges.map { bucket($0, at: now) }
        let costs = charges.map { $0.rule.interval / 4 * quarters }
        let waits = zip(states, costs).map { $1 - $0.level }
        if let longest = waits.max(), longest > 0 { return .nanoseconds(longest) }
        for ((charge, var state), cost) in zip(zip(charges, states), costs) {
            if state.level == charge.rule.interval * charge.rule.burst { state.busySince = now }
            state.level -= cost
            buckets[charge.key] = state
        }
        return nil
    }

    mutating func giveBack(_ charges: [Charge], quarters: Int64, taken: Duration, at now: Duration) {
        for charge in charges {
            var state = bucket(charge, at: now)
            guard state.busySince <= taken else { continue }
            state.level = min(
                charge.rule.interval * charge.rule.burst, state.level + charge.rule.interval / 4 * quarters)
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
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

@Suite struct ModelTests {
    /// A small table may take over the slot of a full bucket, which must not show.
    @Test(arguments: 1...20)
    func decidesAsTheReference(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let rules = try ["1/1s", "5/1m", "7/1m burst 3", "20/1h burst 5", "3/2s burst 9"].map {
            try RateLimitRule(parsing: $0)
        }
        let all = (0..<12).filter { $0 != 9 }.map { number in
            Charge(
                LimitKey(
                    LimitScope.allCases[number % 5], network: "n\(number)", conversation: "c\(number)", user: "u"),
                rules[number % 5])
        }
        var limiter = RateLimiter(capacity: 12)
        var reference = Reference()
        let start = ContinuousClock.now
        var now = Duration.zero
        var open: [(receipt: Receipt, charges: [Charge], quarters: Int64, taken: Duration)] = []
        for step in 0..<3000 {
            now += .nanoseconds(
                Int64.random(in: 0...2_000_000_000, using: &random) >> Int64.random(in: 0...12, using: &random))
            if !open.isEmpty, Int.random(in: 0..<5, using: &random) == 0 {
                let given = open.remove(at: Int.random(in: 0..<open.count, using: &random))
                limiter.giveBack(given.receipt, at: start.advanced(by: now))
                if Bool.random(using: &random) { limiter.giveBack(given.receipt, at: start.advanced(by: now)) }
                reference.giveBack(given.charges, quarters: given.quarters, taken: given.taken, at: now)
                continue
            }
            let charges = Array(all.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))
            let quarters = Int64.random(in: 0..<4, using: &random) == 0 ? 1 : 4 as Int64
            let expected = reference.take(charges, quarters: quarters, at: now)
            let decision = limiter.take(charges, cost: LimitCost(quarters: quarters), at: start.advanced(by: now))
            try #require(decision.refusal?.retryAfter == expected, "step \(step)")
            if let receipt = decision.receipt {
                open.append((receipt, charges, quarters, now))
                if open.count > 8 { open.removeFirst() }
            }
            let probe = all[step % all.count]
            let level = reference.bucket(probe, at: now).level
            let left = limiter.remaining(for: probe, at: start.advanced(by: now))
            try #require(left.tokens == Int(level / probe.rule.interval), "step \(step)")
        }
    }
}
