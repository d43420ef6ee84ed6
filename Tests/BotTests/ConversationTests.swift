import Base
import Chat
import GiphySearch
import TestSupport
import Testing

@testable import Bot

@Loop @Suite struct ConversationTests {
    @Test("BUG-15: what is owed to the disk is there before the answer is sent") func written() async {
        let room = Room()
        room.store.owesWriting = true
        room.say("!gif party", id: "$a")
        #expect(room.adapter.sent.isEmpty && room.adapter.began == ["$a"] && room.adapter.finished.isEmpty)
        await room.bot.waitUntilIdle()
        #expect(room.adapter.answers.count == 1 && room.adapter.finished == ["$a"])
    }

    @Test("A page held is answered at once, without a task or a call")
    func held() {
        let room = Room()
        room.say("!gif party")
        #expect(
            room.adapter.sent == [
                Reply(
                    kind: .answer, audience: .conversation,
                    text:
                        "Party Parrot \u{2014} 480\u{D7}270, 1.2 MB \u{B7} GIPHY \u{2014} https://media.example/a.gif",
                    url: "https://media.example/a.gif", id: AnswerID("~1"))
            ])
        #expect(room.search.calls.isEmpty)
        #expect(room.bot.counts.waits == 0 && room.bot.inProgress == 0)
        #expect(room.bot.counts.commands == 1 && room.bot.counts.answers == 1)
    }

    @Test("A thousand commands answered from a page held make no task")
    func thousand() {
        let room = Room { $0.dropLimits() }
        for _ in 0..<1000 { room.say("!gif party") }
        #expect(room.adapter.answers.count == 1000)
        #expect(room.bot.counts.waits == 0)
    }

    @Test("What isn't held is asked for, and answered when the sources answer")
    func asked() async {
        let room = Room()
        room.say("!gif owl")
        #expect(room.adapter.sent.isEmpty)
        #expect(room.bot.inProgress == 1)
        await room.finish(.success(page(gif("o", title: "Owl"))))
        #expect(
            room.search.calls == [SearchQuery(words: "owl", rating: .g, language: "en", kind: .gif)])
        #expect(room.adapter.answers.map(\.url) == ["https://media.example/o.gif"])
        #expect(room.bot.inProgress == 0)
    }

    @Test("BUG-01: usage for the bare command, and no call")
    func usage() {
        let room = Room()
        room.say("!gif")
        room.say("!gif   ")
        #expect(room.adapter.notices == Array(repeating: "Usage: !gif <words>, for example: !gif party", count: 2))
        #expect(room.search.asked.isEmpty)
    }

    @Test("Chat is not answered")
    func chat() {
        let room = Room()
        for text in ["hello", "!gifs party", "gif party", "", "party !gif"] { room.say(text) }
        #expect(room.adapter.sent.isEmpty)
        #expect(room.bot.counts.commands == 0)
    }

    @Test("Addressed by name or in private, no prefix is needed")
    func addressed() {
        let room = Room()
        room.say("gif party", isAddressed: true)
        room.say("gif party", in: "ada", isDirect: true)
        room.say("!gif party", in: "ada", isDirect: true)
        #expect(room.adapter.answers.count == 3)
    }

    @Test("private: false and enabled: false are silent")
    func silent() {
        let closed = Room { $0.answersPrivately = false }
        closed.say("gif party", in: "ada", isDirect: true)
        closed.say("!gif help", in: "ada", isDirect: true)
        #expect(closed.adapter.sent.isEmpty)
        closed.say("!gif party")
        #expect(closed.adapter.sent.count == 1)
        let off = Room { $0.isEnabled = false }
        off.say("!gif party")
        off.say("!gif")
        #expect(off.adapter.sent.isEmpty)
    }

    @Test("BUG-15: too old is not answered, and not even begun")
    func old() {
        let room = Room()
        room.say("!gif party", id: "$old", age: .hours(3))
        #expect(room.adapter.sent.isEmpty && room.adapter.began.isEmpty)
        room.say("!gif party", id: "$young", age: .seconds(20))
        #expect(room.adapter.sent.count == 1 && room.adapter.finished == ["$young"])
    }

    @Test("The adapter hears of the beginning and the end of every command, and of nothing else")
    func beginningAndEnd() async {
        let room = Room { $0.limits.user = limit("4/1m") }
        for text in ["hello", "gif party", "!gifs"] { room.say(text) }
        #expect(room.adapter.began.isEmpty)
        // Usage, an answer, help, a search that waits, a refusal, a silent refusal.
        room.say("!gif", id: "$1")
        room.say("!gif party", id: "$2")
        room.say("!gif help", id: "$3")
        room.say("!gif owl", id: "$4")
        room.say("!gif hen", id: "$5")
        #expect(room.adapter.finished == ["$1", "$2", "$3"])
        for id in ["$6", "$7"] { room.say("!gif party", id: id) }
        #expect(room.adapter.began == ["$1", "$2", "$3", "$4", "$5", "$6", "$7"])
        await room.finish(.failure(.sourcesDown(retryIn: nil)))
        #expect(Set(room.adapter.finished) == ["$1", "$2", "$3", "$4", "$5", "$6", "$7"])
        #expect(room.adapter.finished.count == 7)
        // Once closed it takes none: one that comes is left for the next start.
        room.bot.close()
        room.say("hello", id: "$8")
        room.say("!gif party", id: "$9")
        #expect(room.adapter.began.last == "$9" && room.adapter.finished.last != "$9")
    }

    @Test("BUG-26: the same search again varies, and repeats the one shown longest ago")
    func varying() {
        let room = Room { $0.dropLimits() }
        for _ in 0..<9 { room.say("!gif party") }
        let urls = room.adapter.answers.compactMap(\.url)
        #expect(Set(urls.prefix(3)).count == 3)
        for (before, after) in zip(urls, urls.dropFirst()) { #expect(before != after) }
        #expect(Array(urls[3..<6]) == Array(urls[0..<3]))
    }

    @Test("What was shown in one channel is news in another")
    func shownPerChannel() {
        let room = Room()
        room.say("!gif party")
        room.say("!gif party", in: "#dogs")
        let urls = room.adapter.answers.compactMap(\.url)
        #expect(urls.count == 2 && urls[0] == urls[1])
    }

    @Test("An answer that couldn't be sent wasn't shown")
    func notSent() {
        let room = Room()
        room.adapter.refusal = "not in the channel"
        room.say("!gif party")
        #expect(room.store.shownIDs.isEmpty)
        #expect(room.bot.counts.notSent == 1 && room.bot.counts.answers == 0)
    }

    @Test("-n takes the result of that number")
    func position() {
        let room = Room()
        room.say("!gif -n 3 party")
        room.say("!gif -n 3 party")
        #expect(room.adapter.answers.map(\.url) == Array(repeating: "https://media.example/c.gif", count: 2))
        room.say("!gif -n 4 party")
        #expect(room.adapter.notices == [Sentences.noSuchPosition])
    }

    @Test("BUG-23: a user's rating lowers the channel's and never raises it")
    func rating() {
        let room = Room { $0.rating = .pg }
        room.say("!gif --rating g party")
        room.say("!gif --rating r party")
        room.say("!gif --lang fr party")
        #expect(room.search.asked.map(\.rating) == [.g, .pg, .pg])
        #expect(room.search.asked.map(\.language) == ["en", "en", "fr"])
    }

    @Test("BUG-23: checked again when it comes")
    func unsuitable() {
        let room = Room()
        room.search.pages["owl"] = page(gif("r", rating: .r), gif("p", rating: .pg), gif("u", rating: nil))
        room.say("!gif owl")
        #expect(room.adapter.notices == [Sentences.nothingSuitable])
        room.search.pages["fox"] = page(gif("r", rating: .r), gif("g", rating: .g))
        room.say("!gif fox")
        #expect(room.adapter.answers.map(\.url) == ["https://media.example/g.gif"])
        let wide = Room { $0.rating = .r }
        wide.search.pages["owl"] = page(gif("r", rating: .r), gif("g", rating: .g))
        wide.say("!gif --rating g owl")
        #expect(wide.adapter.answers.map(\.url) == ["https://media.example/g.gif"])
    }

    @Test("BUG-23: denied words and ids")
    func denied() {
        let room = Room {
            $0.deniedWords = ["spider"]
            $0.deniedIDs = ["giphy:b"]
        }
        room.search.pages["owl"] = page(gif("a", title: "A Spider"), gif("b"), gif("c"))
        room.say("!gif owl")
        #expect(room.adapter.answers.map(\.url) == ["https://media.example/c.gif"])
    }

    @Test func help() {
        let room = Room {
            $0.command = "meme"
            $0.prefixes = ["."]
        }
        room.say(".meme help")
        let line = room.adapter.notices.first ?? ""
        for part in [".meme <words>", "-n", "--rating", "--lang", "limits", "about"] {
            #expect(line.contains(part))
        }
        #expect(line.utf8.count < 400)
    }

    @Test func about() {
        let room = Room()
        room.say("!gif about")
        #expect(
            room.adapter.notices == [
                "This is gifbot 1.0, https://example.org/gifbot \u{B7} Powered by GIPHY"
            ])
        #expect(room.search.asked.isEmpty)
    }

    @Test("Every sentence fits the adapter's budget and starts with a plain word", arguments: [20, 60, 400])
    func budgets(budget: Int) {
        let room = Room { $0.dropLimits() }
        room.adapter.budget = budget
        for text in ["!gif", "!gif help", "!gif about", "!gif -n x"] { room.say(text) }
        #expect(room.adapter.notices.count == 4)
        for line in room.adapter.notices {
            #expect(line.utf8.count <= budget)
            #expect(line.first?.isLetter == true)
        }
    }

    @Test("A URL that fits nowhere is told")
    func tooLong() {
        let room = Room()
        room.adapter.budget = 70
        let url = "https://media.example/" + String(repeating: "x", count: 100)
        room.search.pages["owl"] = page(gif("a", url: url))
        room.say("!gif owl")
        #expect(room.adapter.answers.isEmpty)
        #expect(room.adapter.notices == [Sentences.tooLong])
    }

    @Test("BUG-30: no new commands after close, and those in progress are finished")
    func close() async {
        let room = Room()
        room.say("!gif owl")
        room.bot.close()
        room.say("!gif party")
        #expect(room.adapter.sent.isEmpty)
        await room.finish(.success(page(gif("o"))))
        #expect(room.adapter.answers.count == 1)
    }

    @Test("BUG-30: waiting ends at the deadline")
    func deadline() async {
        let room = Room()
        await room.bot.waitUntilIdle()
        room.say("!gif owl")
        let waiting = Loop.start { await room.bot.waitUntilIdle(by: room.clock.now.advanced(by: .seconds(5))) }
        while room.clock.nextDue == nil { await Task.yield() }
        room.clock.advance(by: .seconds(5))
        await waiting.value
        #expect(room.bot.inProgress == 1)
        await room.finish(.failure(.nothingFound))
        #expect(room.bot.inProgress == 0)
    }
}
