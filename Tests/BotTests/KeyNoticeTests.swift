import Base
import Chat
import GiphySearch
import TestSupport
import Testing

@testable import Bot

@Loop @Suite struct KeyNoticeTests {
    @Test("BUG-20: a refused key is told to one bot admin who is there, once, in private; others learn nothing of keys")
    func told() async {
        let room = Room()
        room.say("!gif help", by: "account:alice", isAdmin: true)
        let before = room.adapter.sent.count
        for user in ["bo", "cy"] {
            room.say("!gif owl", by: user)
            await room.finish(.failure(.badKey))
        }
        let said = room.adapter.sent.dropFirst(before)
        #expect(said.filter { $0.text == Sentences.keyRefused }.map(\.audience) == [.asker])
        #expect(said.filter { $0.text == Sentences.searchNotAvailable }.count == 1)
        room.bot.settings = BotSettings()
        room.clock.advance(by: .minutes(2))
        room.say("!gif owl", by: "bo")
        await room.finish(.failure(.badKey))
        #expect(room.adapter.notices.count { $0 == Sentences.keyRefused } == 2)
    }

    @Test("A key is told of even where another source answers")
    func hidden() async {
        let room = Room()
        room.search.statuses = [SourceStatus(name: "giphy", trouble: .badKey(status: 403), budget: nil)]
        room.say("!gif owl", by: "bo")
        await room.finish(.success(page(gif("x"))))
        #expect(room.adapter.notices.isEmpty && room.adapter.answers.count == 1)
        room.say("!gif party", by: "account:alice", isAdmin: true)
        #expect(room.adapter.notices == [Sentences.keyRefused])
    }

    @Test("An admin who comes later is told then")
    func later() async {
        let room = Room()
        room.say("!gif owl", by: "bo")
        await room.finish(.failure(.badKey))
        #expect(!room.adapter.notices.contains(Sentences.keyRefused))
        room.say("!gif party", by: "account:alice", isAdmin: true)
        room.say("!gif party", by: "account:alice", isAdmin: true)
        #expect(room.adapter.notices.count { $0 == Sentences.keyRefused } == 1)
    }
}
