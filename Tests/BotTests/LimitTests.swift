import Base
import Chat
import GiphySearch
import TestSupport
import Testing

@testable import Bot

@Loop @Suite struct LimitTests {
    @Test("A refusal is told once a window, with the seconds; repeats are silent and counted")
    func once() {
        let room = Room { $0.limits.user = limit("2/1m") }
        for _ in 0..<5 { room.say("!gif party") }
        #expect(room.adapter.answers.count == 2)
        #expect(room.adapter.notices == ["Your limit is reached, retry in 30 s."])
        #expect(room.bot.counts.refusals == 3 && room.bot.counts.silenced == 2)
        room.say("!gif party", by: "bo")
        #expect(room.adapter.answers.count == 3)
        room.clock.advance(by: .seconds(60))
        for _ in 0..<3 { room.say("!gif party") }
        #expect(room.adapter.answers.count == 5)
        #expect(room.adapter.notices.count == 2)
    }

    @Test("Every scope has its sentence")
    func scopes() {
        func refused(_ change: (inout ChannelOverrides) -> Void) -> [String] {
            let room = Room {
                $0.dropLimits()
                change(&$0)
            }
            room.say("!gif party")
            room.say("!gif party")
            return room.adapter.notices
        }
        #expect(refused { $0.limits.user = limit("1/1m") } == ["Your limit is reached, retry in 60 s."])
        #expect(
            refused { $0.limits.channel = limit("1/1m") } == ["The limit of this channel is reached, retry in 60 s."])
        #expect(
            refused { $0.limits.userInChannel = limit("1/1m") } == [
                "Your limit in this channel is reached, retry in 60 s."
            ])
        #expect(
            refused { $0.limits.network = limit("1/1m") } == ["The limit of this network is reached, retry in 60 s."])
        #expect(refused { $0.limits.global = limit("1/1m") } == ["The limit of this bot is reached, retry in 60 s."])
    }

    @Test("What each scope counts")
    func reach() {
        let room = Room {
            $0.dropLimits()
            $0.limits.user = limit("1/1m")
        }
        room.say("!gif party")
        room.say("!gif party", in: "#dogs")
        #expect(room.adapter.answers.count == 1)
        room.say("!gif party", on: "other")
        #expect(room.adapter.answers.count == 2)
        let shared = Room {
            $0.dropLimits()
            $0.limits.global = limit("1/1m")
        }
        shared.say("!gif party")
        shared.say("!gif party", by: "bo", in: "#dogs", on: "other")
        #expect(shared.adapter.answers.count == 1)
    }

    @Test("Admins are exempt where the operator says so")
    func exempt() {
        var defaults = ChannelOverrides()
        defaults.limits.user = limit("1/1m")
        let room = Room(BotSettings(defaults: defaults, exempt: .admins))
        for _ in 0..<4 { room.say("!gif party", isAdmin: true) }
        #expect(room.adapter.answers.count == 4)
        room.say("!gif limits", isAdmin: true)
        #expect(room.adapter.notices == [Sentences.exempt])
        let strict = Room(BotSettings(defaults: defaults))
        for _ in 0..<4 { strict.say("!gif party", isAdmin: true) }
        #expect(strict.adapter.answers.count == 1)
    }

    @Test("`limits` tells what is left and when it's back, and costs nothing")
    func shown() {
        let room = Room {
            $0.limits.user = limit("3/1m")
            $0.limits.channel = limit("2/1m")
            $0.limits.global = .off
        }
        room.say("!gif limits")
        #expect(room.adapter.notices.last == "Limits here: you 3/1m, all left \u{B7} this channel 2/1m, all left")
        room.say("!gif party")
        room.say("!gif party")
        room.say("!gif limits")
        #expect(
            room.adapter.notices.last
                == "Limits here: you 3/1m, 1 left, all back in 40 s \u{B7} this channel 2/1m, none left, next in 30 s")
        let free = Room { $0.dropLimits() }
        free.say("!gif limits")
        #expect(free.adapter.notices == ["Limits here: none."])
    }

    @Test("`limits` tells what the sources' budgets have left, and nothing of keys")
    func budgets() {
        let room = Room { $0.dropLimits() }
        let rule = BudgetRule(count: 100, period: .hours(1))
        room.search.statuses = [
            SourceStatus(
                name: "giphy", trouble: nil, budget: BudgetStatus(used: 12, rule: rule, usedHere: 3, returnsIn: nil)),
            SourceStatus(
                name: "klipy", trouble: .badKey(status: 403),
                budget: BudgetStatus(used: 100, rule: rule, usedHere: 3, returnsIn: .seconds(600))),
            SourceStatus(name: "folder", trouble: nil, budget: nil),
        ]
        room.say("!gif limits")
        #expect(
            room.adapter.notices == [
                "Limits here: none. \u{B7} giphy 88 of 100 calls left \u{B7} klipy 0 of 100 calls left, "
                    + "next here in 10 min, at 08:10 UTC"
            ])
    }

    @Test(
        "Given back when no source could answer, and not when nothing was found",
        arguments: [
            (SearchFailure.sourcesDown(retryIn: nil), true), (.budgetUsedUp(returnsIn: .seconds(90)), true),
            (.badKey, true), (.busy, true), (.nothingFound, false), (.nothingFoundBut(known: ["owl"]), false),
            (.nothingSuitable, false),
        ])
    func givenBack(failure: SearchFailure, isGivenBack: Bool) async {
        let room = Room { $0.limits.user = limit("1/1m") }
        room.say("!gif owl")
        await room.finish(.failure(failure))
        room.say("!gif party")
        #expect(room.adapter.answers.count == (isGivenBack ? 1 : 0))
    }

    @Test("BUG-25: the wall clock may jump, limits go by monotonic time")
    func clockJumps() {
        let room = Room { $0.limits.user = limit("3/3m") }
        for _ in 0..<3 { room.say("!gif party") }
        room.clock.jumpWall(by: .hours(-1))
        room.clock.advance(by: .seconds(60))
        room.say("!gif party")
        #expect(room.adapter.answers.count == 4)
        room.clock.jumpWall(by: .hours(1))
        for _ in 0..<10 { room.say("!gif party") }
        #expect(room.adapter.answers.count == 4)
        room.clock.advance(by: .hours(8))
        for _ in 0..<10 { room.say("!gif party") }
        #expect(room.adapter.answers.count == 7)
    }

    @Test("BUG-25: a restart keeps the limits, whatever the wall clock says by then")
    func restart() {
        var defaults = ChannelOverrides()
        defaults.limits.user = limit("2/2m")
        let settings = BotSettings(defaults: defaults)
        let room = Room(settings)
        room.say("!gif party")
        room.say("!gif party")
        #expect(!room.store.buckets.isEmpty)
        let again = Room(settings, store: room.store)
        again.say("!gif party")
        #expect(again.adapter.answers.isEmpty)
        // Stored far in the future: still never longer than the bucket.
        room.store.buckets = room.store.buckets.mapValues {
            SavedBucket(key: $0.key, fullAt: $0.fullAt.advanced(by: .days(1000)), interval: $0.interval)
        }
        let late = Room(settings, store: room.store)
        late.clock.advance(by: .minutes(2))
        late.say("!gif party")
        late.say("!gif party")
        #expect(late.adapter.answers.count <= 2)
    }
}
