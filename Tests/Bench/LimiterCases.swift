import RateLimiter

enum LimiterCases {
    static func run(_ measure: Measure) {
        guard let rule = try? RateLimitRule(parsing: "1000000/1s") else { return }
        for users in [100, 1_000_000] {
            let name = "limiter: a decision over five keys, \(users) users seen"
            guard measure.includes(name) else { continue }
            var limiter = RateLimiter(capacity: 100_000, notesChanges: true)
            var moment = ContinuousClock.now
            var kept = 0
            for user in 0..<users {
                _ = limiter.take(charges("u\(user)", rule), cost: .one, at: moment)
                limiter.takeChanges { _ in kept += 1 }
            }
            precondition(limiter.snapshot(at: moment).count <= 100_000, "the table has a bound")
            let names = (0..<min(users, 100_000)).map { "u\($0 * (users / min(users, 100_000)))" }
            measure(name) { count in
                for index in 0..<count {
                    moment += .microseconds(10)
                    use(limiter.take(charges(names[index % names.count], rule), cost: .one, at: moment))
                    limiter.takeChanges { _ in kept += 1 }
                }
            }
        }
    }

    private static func charges(_ user: String, _ rule: RateLimitRule) -> [Charge] {
        LimitScope.allCases.map { scope in
            Charge(LimitKey(scope, network: "libera", conversation: "#cats", user: user), rule)
        }
    }
}
