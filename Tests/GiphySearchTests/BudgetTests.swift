import Base
import TestSupport
import Testing

@testable import GiphySearch

@Loop struct BudgetTests {
    private let clock = ManualClock()
    private let store = MemoryBudgetStore()

    private func budget(_ rule: BudgetRule?) -> Budget {
        Budget(account: "giphy:1", rule: rule, store: store, clock: clock)
    }

    @Test func neverMoreThanSoManyInAnyPeriod() {
        let budget = budget(BudgetRule(count: 3, period: .seconds(60)))
        var sent: [Instant] = []
        for second in 0..<600 {
            if second % 7 < 4, budget.take(for: "a") != nil { sent.append(clock.now) }
            clock.advance(by: .seconds(1))
        }
        #expect(sent.count >= 27)
        for (index, first) in sent.enumerated() where index + 3 < sent.count {
            #expect(first.duration(to: sent[index + 3]) >= .seconds(60))
        }
    }

    @Test func tellsWhenACallComesBack() {
        let budget = budget(BudgetRule(count: 2, period: .minutes(1)))
        #expect(budget.take(for: "a") != nil)
        clock.advance(by: .seconds(20))
        #expect(budget.take(for: "a") != nil)
        #expect(budget.wait(for: "a") == .seconds(40))
        #expect(budget.take(for: "a") == nil)
        clock.advance(by: .seconds(39))
        #expect(budget.wait(for: "a") == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(budget.wait(for: "a") == nil)
        #expect(budget.take(for: "a") != nil)
        #expect(budget.wait(for: "a") == .seconds(20))
    }

    @Test func aCallThatNeverLeftIsGivenBack() throws {
        let budget = budget(BudgetRule(count: 1, period: .minutes(1)))
        let call = try #require(budget.take(for: "a"))
        budget.giveBack(call)
        #expect(store.calls(of: "giphy:1", since: WallTime(milliseconds: 0)) == [])
        #expect(budget.take(for: "a") != nil)
        #expect(budget.take(for: "a") == nil)
    }

    @Test func withoutARuleNothingIsCounted() {
        let budget = budget(nil)
        for _ in 0..<1000 { #expect(budget.take(for: "a") != nil) }
        #expect(budget.wait(for: "a") == nil)
        #expect(store.calls(of: "giphy:1", since: WallTime(milliseconds: 0)) == [])
    }

    @Test func aSmallerRuleCountsWhatWasSentUnderTheLarger() {
        let budget = budget(BudgetRule(count: 5, period: .minutes(1)))
        for _ in 0..<5 {
            _ = budget.take(for: "a")
            clock.advance(by: .seconds(1))
        }
        budget.rule = BudgetRule(count: 2, period: .minutes(1))
        // The fourth of the five has to leave the window, so that one is left in it.
        #expect(budget.wait(for: "a") == .seconds(58))
    }

    @Test("A longer period counts the calls that it reaches, each of them once")
    func longerPeriod() {
        let budget = budget(BudgetRule(count: 3, period: .minutes(1)))
        for _ in 0..<3 {
            #expect(budget.take(for: "a") != nil)
            clock.advance(by: .seconds(50))
        }
        #expect(budget.status(for: "a")?.used == 1)
        budget.rule = BudgetRule(count: 3, period: .hours(1))
        #expect(budget.status(for: "a")?.used == 3)
        #expect(budget.status(for: "a")?.usedHere == 3)
        #expect(budget.take(for: "a") == nil)
        clock.advance(by: .seconds(3600 - 150) + .milliseconds(2))
        #expect(budget.take(for: "a") != nil)
        #expect(budget.take(for: "a") == nil)
        budget.rule = nil
        budget.rule = BudgetRule(count: 3, period: .hours(1))
        #expect(budget.status(for: "a")?.used == 3)
    }

    @Test("The look ahead by differences finds what a whole count at each step finds")
    func lookAhead() {
        var random = SeededGenerator(seed: 7)
        let start = clock.now
        for _ in 0..<200 {
            var shares = BudgetShares(period: .hours(1), expected: 0, since: start)
            var calls: [Budget.Call] = []
            for number in 0..<Int.random(in: 1...120, using: &random) {
                let at = start.advanced(by: .seconds(number))
                // Small numbers are likelier, so that one has many calls and others few.
                let share = "\(Int.random(in: 0...Int.random(in: 0...9, using: &random), using: &random))"
                let seat = shares.charged(share, at: at)
                calls.append(Budget.Call(at: at, wall: WallTime(milliseconds: 0), share: share, seat: seat))
            }
            let now = start.advanced(by: .seconds(150))
            let left = Int.random(in: 0...3, using: &random)
            for asker in 0...9 {
                var counts: [String: Int] = [:]
                for call in calls { counts[call.share, default: 0] += 1 }
                var expected = now
                for (step, call) in calls.enumerated() {
                    expected = call.at.advanced(by: .hours(1))
                    counts[call.share, default: 0] -= 1
                    let own = counts["\(asker)"] ?? 0
                    let reserve = counts.values.reduce(0) { $0 + max(0, own - $1) }
                    if left + step + 1 > reserve { break }
                }
                let room = BudgetShares.Room(used: calls.count, limit: calls.count + left)
                #expect(shares.due("\(asker)", room, calls: calls[...], at: now) == expected)
            }
        }
    }

    @Test("BUG-25: calls outlive the process, and a clock that jumps frees none")
    func restart() {
        let rule = BudgetRule(count: 2, period: .hours(1))
        let before = budget(rule)
        _ = before.take(for: "a")
        clock.advance(by: .minutes(10))
        _ = before.take(for: "a")

        let after = budget(rule)
        clock.advance(by: .minutes(49))
        #expect(after.take(for: "a") == nil)
        clock.advance(by: .minutes(1) + .milliseconds(2))
        #expect(after.take(for: "a") != nil)
        #expect(after.take(for: "a") == nil)
    }

    @Test("BUG-25: the wall clock set back or forward while it runs changes nothing", arguments: [-3600, 3600])
    func jump(seconds: Int) {
        let budget = budget(BudgetRule(count: 1, period: .minutes(10)))
        #expect(budget.take(for: "a") != nil)
        clock.jumpWall(by: .seconds(seconds))
        #expect(budget.take(for: "a") == nil)
        clock.advance(by: .minutes(10))
        #expect(budget.take(for: "a") != nil)
    }

    @Test("BUG-25: times in the future after a restart block for one period at most")
    func future() {
        let rule = BudgetRule(count: 1, period: .minutes(10))
        _ = budget(rule).take(for: "a")
        clock.jumpWall(by: .zero - .hours(5))
        let after = budget(rule)
        #expect(after.wait(for: "a") == .minutes(10))
        clock.advance(by: .minutes(10))
        #expect(after.take(for: "a") != nil)
    }

    @Test("BUG-32: the account tells keys apart and holds none") func accounts() {
        let key = Secret("K3Y%2Fsecret/1")
        let account = budgetAccount(source: "giphy", key: key)
        #expect(account == budgetAccount(source: "giphy", key: key))
        #expect(account != budgetAccount(source: "giphy", key: Secret("K3Y%2Fsecret/2")))
        #expect(account != budgetAccount(source: "klipy", key: key))
        #expect(account.hasPrefix("giphy:") && account.utf8.count == 22 && !account.contains("K3Y"))
    }

    @Test(
        arguments: [
            ("100/1h", BudgetRule(count: 100, period: .hours(1))), ("1/1s", BudgetRule(count: 1, period: .seconds(1))),
            ("200/1d", BudgetRule(count: 200, period: .days(1))), ("0/1h", nil), ("-1/1h", nil), ("100", nil),
            ("100/h", nil), ("/1h", nil),
            ("100/1h/2", nil), ("100001/1h", nil), ("1/32d", nil), ("a/1h", nil), ("", nil),
        ] as [(String, BudgetRule?)])
    func rules(text: String, rule: BudgetRule?) {
        #expect(BudgetRule(configText: text) == rule)
    }
}
