import Base
import Chat
import GiphySearch
import TestSupport
import Testing

@testable import Bot

@Loop @Suite struct CollectionTests {
    private func room(_ collection: ChannelSettings.Collection, mayStore: Bool = true) -> Room {
        let room = Room {
            $0.dropLimits()
            $0.collection = collection
        }
        var policy = ProviderPolicy.folder
        policy.mayStoreURLs = mayStore
        room.search.policies["giphy"] = policy
        return room
    }

    @Test(
        "The last answer is saved under a name, posted from it, listed and forgotten; it is on disk before that is said"
    )
    func whole() async {
        let room = room(.everyone)
        room.say("!gif party")
        room.say("!gif save Hug")
        #expect(room.adapter.notices.isEmpty)
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices == ["Saved as :hug:"] && room.store.writes > 0)
        room.say("!gif :hug:", by: "bo")
        #expect(room.adapter.answers.last?.url?.hasSuffix("/a.gif") == true && room.search.calls.isEmpty)
        room.say("!gif saved")
        #expect(room.adapter.notices.last == "Saved here: :hug:")
        room.say("!gif :hug:", in: "#dogs")
        #expect(room.adapter.notices.last == Sentences.noSuchName)
        room.say("!gif save hug", by: "bo")
        #expect(room.adapter.notices.last == Sentences.nameTaken)
        room.say("!gif forget :hug:", by: "cy")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices.last == "Forgotten: :hug:")
        room.say("!gif :hug:", by: "cy")
        #expect(room.adapter.notices.last == Sentences.noSuchName)
    }

    @Test("Rights by policy")
    func rights() async {
        let room = room(.operators)
        room.say("!gif party")
        room.say("!gif save hug")
        #expect(room.adapter.notices == [Sentences.onlyOperators])
        room.say("!gif save hug", by: "olga", isOperator: true)
        await room.bot.waitUntilIdle()
        #expect(room.store.savedNames(in: Conversation(network: "net", name: "#cats", isDirect: false)) == ["hug"])
        room.say("!gif :hug:")
        #expect(room.adapter.answers.count == 2)
        let off = self.room(.off)
        off.say("!gif party")
        for text in ["!gif save hug", "!gif :hug:", "!gif saved", "!gif forget hug"] {
            off.say(text, isOperator: true)
        }
        #expect(off.adapter.notices == Array(repeating: Sentences.noCollection, count: 4))
    }

    @Test("A source that lets no URL be stored is asked by id, or the GIF can't be saved")
    func byID() async {
        let room = room(.everyone, mayStore: false)
        room.say("!gif party")
        room.say("!gif save hug")
        #expect(room.adapter.notices == [Sentences.mayNotBeSaved])
        room.search.idSources = ["giphy"]
        room.search.byID["giphy:a"] = gif("a", url: "https://media.example/fresh.gif")
        room.say("!gif save hug")
        await room.bot.waitUntilIdle()
        #expect(room.store.collections.values.first?.first?.gif == nil)
        room.say("!gif :hug:")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.answers.last?.url == "https://media.example/fresh.gif")
        room.search.byID = [:]
        room.say("!gif :hug:")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices.last == Sentences.nothingFound)
    }

    @Test("Rating and what is denied count when it is posted")
    func suitable() async {
        let room = room(.everyone)
        room.say("!gif party")
        room.say("!gif save hug")
        await room.bot.waitUntilIdle()
        var stricter = ChannelOverrides()
        stricter.dropLimits()
        stricter.deniedIDs = ["giphy:a"]
        room.bot.settings = BotSettings(defaults: stricter)
        room.say("!gif :hug:")
        #expect(room.adapter.notices.last == Sentences.nothingSuitable)
    }

    @Test("What the disk doesn't take is done all the same, and not said to be kept")
    func notKept() async {
        let room = room(.everyone)
        room.store.isFull = true
        room.say("!gif party")
        room.say("!gif save hug")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices == ["Saved as :hug:" + Sentences.notKept])
        room.say("!gif forget hug")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.notices.last == "Forgotten: :hug:" + Sentences.notKept)
    }

    @Test("A full collection is told, and nothing is thrown out")
    func full() {
        let room = room(.everyone)
        room.store.room = 0
        room.say("!gif party")
        room.say("!gif save hug")
        #expect(room.adapter.notices == [Sentences.collectionFull])
    }
}
