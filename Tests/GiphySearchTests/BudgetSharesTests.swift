import Base
import TestSupport
import Testing

@testable import GiphySearch

/// How the calls of a key are shared out, beside the simulated days.
@Loop struct BudgetSharesTests {
    private let clock = ManualClock()

    /// What is kept with each change, counted anew each time.
    private struct Plain {
        var calls = 0
        var total = 0
        var lastAsked: Instant
        var isWaiting = false
    }

    @Test("What is kept by each change is what a count of all channels finds")
    func counts() {
        var random = SeededGenerator(seed: 3)
        for round in 0..<30 {
            let start = clock.now
            var shares = BudgetShares(period: .hours(1), expected: 0, since: start)
            var plain: [String: Plain] = [:]
            var spent: [(name: String, seat: ShareTable.Seat, at: Instant)] = []
            for _ in 0..<400 {
                clock.advance(
                    by: .seconds(Int.random(in: 0...[10, 900].randomElement(using: &random)!, using: &random)))
                let now = clock.now
                while let first = spent.first, first.at.advanced(by: .hours(1)) <= now {
                    spent.removeFirst()
                    shares.returned(first.seat)
                    plain[first.name]?.calls -= 1
                }
                // Small numbers are likelier, so that some have many calls.
                let name = "\(Int.random(in: 0...Int.random(in: 0...30, using: &random), using: &random))"
                var entry = plain[name] ?? Plain(lastAsked: now)
                entry.lastAsked = now
                if Bool.random(using: &random) {
                    spent.append((name, shares.charged(name, at: now), now))
                    entry.calls += 1
                    entry.total += 1
                    entry.isWaiting = false
                } else {
                    shares.refused(name, at: now)
                    entry.isWaiting = true
                }
                plain[name] = entry
                let known = plain.filter { $0.value.lastAsked.duration(to: now) < .days(1) }
                let active = known.filter { $0.value.lastAsked.duration(to: now) < .hours(1) }
                #expect(shares.table.count == known.count && shares.table.active.count == active.count)
                let own = "\(Int.random(in: 0...31, using: &random))"
                let room = BudgetShares.Room(used: spent.count, limit: 1000)
                let mine = known[own]
                var expected = 0
                var half = 0
                for (other, entry) in active where other != own {
                    expected += max(0, (mine?.calls ?? 0) - entry.calls)
                    guard entry.isWaiting, entry.calls <= mine?.calls ?? 0 else { continue }
                    half += min(2, max(0, (mine?.total ?? 0) - entry.total))
                }
                expected += half / 2
                if let mine, mine.calls > 0 {
                    expected += shares.newcomers(besides: own, at: now).count(room)
                }
                let reserve = BudgetReserve(for: own, in: shares, room, at: now)
                #expect(reserve.count == expected, "round \(round)")
                guard reserve.count == expected else { return }
                plain = known
                // Each day the totals count half; a new round begins before that.
                if start.duration(to: now) > .hours(23) { break }
            }
        }
    }

    private func budget(_ rule: BudgetRule, channels: Int) -> Budget {
        Budget(account: "giphy:1", rule: rule, store: MemoryBudgetStore(), clock: clock, channels: channels)
    }

    /// Two hundred channels have asked, and a period is over.
    private func seen() -> Budget {
        let budget = budget(BudgetRule(count: 100, period: .hours(1)), channels: 200)
        for number in 0..<200 {
            _ = budget.take(for: "\(number)")
            clock.advance(by: .seconds(18))
        }
        return budget
    }

    @Test("One that had a call waits while another that had none asks; and once nobody else asks, it has the others")
    func quietTime() {
        let budget = seen()
        // All is spent: who had one waits, who had none gets what returns.
        clock.advance(by: .seconds(18))
        #expect(budget.take(for: "50") == nil)
        #expect(budget.take(for: "150") != nil)
        // A quiet night.
        clock.advance(by: .hours(9))
        var got = 0
        for _ in 0..<100 where budget.take(for: "7") != nil { got += 1 }
        #expect(got >= 80, "\(got)")
        // What is left is for those that come now.
        for number in 20..<(20 + 100 - got) { #expect(budget.take(for: "\(number)") != nil, "\(number)") }
        #expect(budget.take(for: "7") == nil)
    }

    @Test("In the first period after a start a call is kept for each channel of the config")
    func coldStart() {
        let budget = budget(BudgetRule(count: 100, period: .hours(1)), channels: 200)
        #expect(budget.take(for: "0") != nil)
        #expect(budget.take(for: "0") == nil)
        for number in 1..<100 { #expect(budget.take(for: "\(number)") != nil) }
    }

    @Test("Beyond so many channels the one that asked longest ago is forgotten, and its calls still count")
    func capacity() {
        let budget = budget(BudgetRule(count: 10_000, period: .hours(1)), channels: 0)
        for number in 0..<5000 { #expect(budget.take(for: "\(number)") != nil) }
        #expect(budget.status(for: "0")?.used == 5000)
        #expect(budget.status(for: "0")?.usedHere == 0 && budget.status(for: "4999")?.usedHere == 1)
        clock.advance(by: .hours(1))
        #expect(budget.take(for: "0") != nil)
        #expect(budget.status(for: "0")?.used == 1)
    }
}
