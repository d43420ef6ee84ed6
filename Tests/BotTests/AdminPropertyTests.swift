import Base
import Chat
import GiphySearch
import RateLimiter
import Testing

@testable import Bot

/// Whatever is set by whom in whatever order, and whatever the config becomes: nothing an operator says makes anything looser.
@Suite struct AdminPropertyTests {
    private static let rules = ["1/1m", "5/1m", "5/1m burst 2", "20/1h burst 5", "60/1m", "3/10s burst 9"]

    @Test(arguments: 1...40) func operatorsNeverLoosen(_ seed: UInt64) throws {
        var random = Random(state: seed)
        var changes: [AdminChange] = []
        for number in 1...60 as ClosedRange<Int64> {
            changes.append(
                AdminChange(
                    number: number, reach: .bot, setting: try setting(&random), isByAdmin: random.below(3) == 0,
                    who: "x", at: WallTime(milliseconds: 0)))
            if random.below(4) == 0 { changes.remove(at: random.below(changes.count)) }
            let config = try config(&random)
            let ceiling = config.ceiling(changes, wide: [])
            let inForce = config.with(changes, wide: [])
            for scope in LimitScope.allCases {
                guard let highest = ceiling.limits[scope] else { continue }
                #expect(inForce.limits[scope]?.isTighter(than: highest) == true)
            }
            #expect(inForce.rating <= ceiling.rating && (ceiling.isEnabled || !inForce.isEnabled))
            #expect(Set(inForce.deniedWords).isSuperset(of: ceiling.deniedWords))
            #expect(inForce.deniedIDs.isSuperset(of: ceiling.deniedIDs))
            // What the check lets an operator say now holds exactly as said.
            let wish = try setting(&random)
            guard (try? ceiling.check(wish)) != nil, case .limit(let scope, let rule?) = wish else { continue }
            let said = AdminChange(
                number: 99, reach: .bot, setting: wish, isByAdmin: false, who: "x", at: WallTime(milliseconds: 0))
            #expect(config.with(changes + [said], wide: []).limits[scope] == rule)
        }
    }

    private func setting(_ random: inout Random) throws -> AdminSetting {
        let rule = Self.rules[random.below(Self.rules.count)]
        let scope = LimitScope.allCases[random.below(5)].rawValue
        let texts = [
            "on", "off", "rating g", "rating pg", "rating r", "limit \(scope) \(rule)", "limit \(scope) \(rule)",
            "limit \(scope) off", "deny a", "deny b", "undeny a", "undeny b", "ban giphy:\(random.below(3))",
        ]
        return try #require(AdminSetting(text: texts[random.below(texts.count)]))
    }

    private func config(_ random: inout Random) throws -> ChannelSettings {
        var settings = ChannelSettings()
        settings.isEnabled = random.below(4) > 0
        settings.rating = [.g, .pg, .r][random.below(3)]
        settings.deniedWords = random.below(2) == 0 ? ["a"] : []
        for scope in LimitScope.allCases {
            settings.limits[scope] =
                random.below(4) == 0 ? nil : try RateLimitRule(parsing: Self.rules[random.below(Self.rules.count)])
        }
        return settings
    }
}

private struct Random {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
