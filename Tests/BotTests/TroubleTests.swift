import Base
import Chat
import GiphySearch
import TestSupport
import Testing

@testable import Bot

@Loop @Suite struct TroubleTests {
    func notices(after failure: SearchFailure, isAdmin: Bool = false) async -> [String] {
        let room = Room()
        room.say("!gif owl", isAdmin: isAdmin)
        await room.finish(.failure(failure))
        #expect(room.adapter.answers.isEmpty)
        return room.adapter.notices
    }

    @Test("Each failure has its own sentence")
    func sentences() async {
        #expect(await notices(after: .nothingFound) == ["Nothing found for these words."])
        #expect(
            await notices(after: .nothingFoundBut(known: ["owls", "barn owl", "night", "mice"]))
                == ["Nothing found for these words. Related: owls, barn owl, night."])
        #expect(await notices(after: .nothingFoundBut(known: [])) == ["Nothing found for these words."])
        #expect(
            await notices(after: .nothingSuitable) == [
                "Something was found, but nothing suitable for this channel."
            ])
        // The manual clock starts at 08:00:00 UTC.
        #expect(
            await notices(after: .budgetUsedUp(returnsIn: .seconds(754))) == [
                "The calls to the GIF sources are used up; they return in 13 min, at 08:13 UTC."
            ])
        #expect(
            await notices(after: .sourcesDown(retryIn: nil)) == ["The GIF sources don't answer; try again later."])
        #expect(
            await notices(after: .sourcesDown(retryIn: .seconds(30))) == [
                "The GIF sources don't answer; try again in 30 s."
            ])
        #expect(await notices(after: .badKey) == ["Search is not available at the moment."])
        #expect(
            await notices(after: .badKey, isAdmin: true) == ["A source refuses the bot's key; the log says more."])
        #expect(
            await notices(after: .busy) == ["Too many searches are under way; try again in a moment."])
    }

    @Test("BUG-20: trouble is told once a window in a channel")
    func window() async {
        let room = Room { $0.dropLimits() }
        room.search.result = .failure(.badKey)
        for number in 0..<5 { room.say("!gif owl \(number)") }
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices == [Sentences.searchNotAvailable])
        #expect(room.bot.counts.silenced == 4)
        room.say("!gif owl", in: "#dogs")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices.count == 2)
        room.clock.advance(by: .seconds(60))
        room.say("!gif owl")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices.count == 3)
        // Search knows the source and logs it; the bot adds nothing.
        #expect(room.sink.lines.isEmpty)
    }

    @Test("A long wait is told once")
    func longWindow() async {
        let room = Room { $0.dropLimits() }
        room.search.result = .failure(.budgetUsedUp(returnsIn: .minutes(30)))
        room.say("!gif owl")
        await room.bot.waitUntilIdle()
        room.clock.advance(by: .minutes(29))
        room.say("!gif owl")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices.count == 1)
        room.clock.advance(by: .minutes(1))
        room.say("!gif owl")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices.count == 2)
    }

    @Test("Beyond 256 commands in progress the next is shed, told once, and costs nothing")
    func shed() async {
        let room = Room { $0.dropLimits() }
        for number in 0..<256 { room.say("!gif owl \(number)", in: "#c\(number)") }
        #expect(room.bot.inProgress == 256)
        room.say("!gif fox")
        room.say("!gif fox")
        #expect(room.adapter.notices == [Sentences.busy])
        #expect(room.bot.counts.shed == 2)
        // A page held needs no place.
        room.say("!gif party")
        #expect(room.adapter.answers.count == 1)
        await room.finish(.success(page(gif("o"))))
        #expect(room.adapter.answers.count == 257)
        room.say("!gif fox")
        #expect(room.bot.inProgress == 1)
        await room.finish(.failure(.nothingFound))
    }

    @Test("BUG-29: new settings count from the next command; one in progress keeps its own")
    func reload() async {
        let room = Room { $0.rating = .r }
        room.say("!gif owl")
        var overrides = ChannelOverrides()
        overrides.rating = .g
        overrides.command = "meme"
        overrides.template = try? ReplyTemplate("new {url}")
        room.bot.settings = BotSettings(defaults: overrides)
        room.say("!gif party")
        #expect(room.adapter.sent.isEmpty)
        await room.finish(.success(page(gif("o", rating: .r))))
        #expect(room.adapter.answers.first?.text.hasPrefix("Party Parrot") == true)
        room.say("!meme party")
        #expect(room.adapter.answers.last?.text == "new https://media.example/a.gif")
    }
}

@Loop @Suite struct BotLoopTests {
    /// Another bot that answers every line of ours with the same text.
    func rounds(_ text: String, pause: Duration, in room: Room) async -> Int {
        var heard = 1
        var answered = 0
        room.adapter.heard = { _ in heard += 1 }
        for _ in 0..<50 where heard > 0 {
            heard -= 1
            answered += 1
            room.say(text, by: "helper")
            await room.bot.waitUntilIdle()
            room.clock.advance(by: pause)
        }
        return answered
    }

    @Test(
        "BUG-13: a bot that answers every line of ours comes to an end",
        arguments: ["!gif party", "!gif", "!gif help", "!gif about", "!gif limits", "!gif -n x", "!gif owl"])
    func ends(text: String) async {
        let room = Room()
        room.search.result = .failure(.nothingFound)
        #expect(await rounds(text, pause: .milliseconds(200), in: room) < 11)
    }

    @Test("BUG-13: without limits hints still end")
    func endsWithoutLimits() async {
        let room = Room { $0.dropLimits() }
        room.search.result = .failure(.nothingFound)
        #expect(await rounds("!gif owl", pause: .milliseconds(200), in: room) < 8)
    }

    @Test("BUG-13: no line but an answer is anything but a notice, and none starts like a command")
    func shape() {
        let room = Room { $0.dropLimits() }
        room.search.pages["owl"] = page(gif("o", title: "!gif again"))
        for text in ["!gif", "!gif help", "!gif -n x", "!gif owl"] { room.say(text) }
        #expect(room.adapter.sent.map(\.kind) == [.notice, .notice, .notice, .answer])
        for reply in room.adapter.sent { #expect(!reply.text.hasPrefix("!")) }
    }

    @Test("Hints come back after a minute")
    func again() {
        let room = Room()
        for _ in 0..<10 { room.say("!gif") }
        #expect(room.adapter.notices.count == 6)
        room.say("!gif", by: "bo")
        #expect(room.adapter.notices.count == 7)
        room.clock.advance(by: .minutes(1))
        room.say("!gif")
        #expect(room.adapter.notices.count == 8)
    }
}
