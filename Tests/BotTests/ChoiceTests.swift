import Base
import Chat
import GiphySearch
import TestSupport
import Testing

@testable import Bot

@Loop @Suite struct ChoiceTests {
    private func urls(_ room: Room) -> [String] {
        room.adapter.answers.compactMap { $0.url?.split(separator: "/").last.map(String.init) }
    }

    private func room() -> Room { Room { $0.dropLimits() } }

    @Test("next, prev and #n page through the page held, without a call")
    func paging() {
        let room = room()
        for text in ["!gif party", "!gif next", "!gif next", "!gif prev", "!gif #1", "!gif #3"] { room.say(text) }
        #expect(urls(room) == ["a.gif", "b.gif", "c.gif", "b.gif", "a.gif", "c.gif"])
        #expect(room.search.calls.isEmpty && room.search.turned.isEmpty && room.bot.counts.waits == 0)
        room.say("!gif #4")
        room.say("!gif #1")
        room.say("!gif prev")
        #expect(room.adapter.notices == [Sentences.noSuchPosition, Sentences.firstResult])
    }

    @Test("Paging with no search held says how to start one, and so does one of ten minutes ago")
    func nothingHeld() {
        let room = room()
        for text in ["!gif next", "!gif prev", "!gif #2", "!gif list"] { room.say(text) }
        #expect(Set(room.adapter.notices) == [Sentences.noSearchHeld("!gif")])
        #expect(room.adapter.notices.count == 4)
        room.say("!gif party", by: "bo")
        room.clock.advance(by: .seconds(599))
        room.say("!gif next", by: "bo")
        room.clock.advance(by: .minutes(10))
        room.say("!gif next", by: "bo")
        #expect(urls(room) == ["a.gif", "b.gif"])
        #expect(room.adapter.notices.last == Sentences.noSearchHeld("!gif"))
    }

    @Test("A search belongs to its asker and its channel")
    func perAsker() {
        let room = room()
        room.search.pages["owl"] = page(gif("o"), gif("p"))
        room.say("!gif party")
        room.say("!gif owl", by: "bo")
        room.say("!gif party", in: "#dogs")
        room.say("!gif next")
        room.say("!gif next", by: "bo")
        #expect(urls(room) == ["a.gif", "o.gif", "a.gif", "b.gif", "p.gif"])
        room.say("!gif next", by: "bo", in: "#dogs")
        #expect(room.adapter.notices == [Sentences.noSearchHeld("!gif")])
    }

    @Test("Only next past the end asks for another page, and pages that overlap show nothing twice")
    func anotherPage() async {
        let room = room()
        room.search.pages["owl"] = SearchPage(
            gifs: [gif("a"), gif("b")], continuation: PageContinuation(source: "giphy", position: "2"))
        room.search.following["2"] = .success(SearchPage(gifs: [gif("b"), gif("c")]))
        for text in ["!gif owl", "!gif next", "!gif #2", "!gif prev", "!gif #2"] { room.say(text) }
        #expect(room.search.turned.isEmpty)
        room.say("!gif next")
        await room.bot.waitUntilIdle()
        #expect(room.search.turned == ["2"])
        #expect(urls(room).last == "c.gif")
        room.say("!gif next")
        await room.bot.waitUntilIdle()
        #expect(room.search.turned == ["2"])
        #expect(room.adapter.notices == [Sentences.lastResult])
        room.say("!gif #1")
        #expect(urls(room).last == "a.gif")
    }

    @Test("Two quick next past the end show two results, also where both got the same page")
    func twoAtOnce() async {
        let room = room()
        room.search.pages["owl"] = SearchPage(
            gifs: [gif("a")], continuation: PageContinuation(source: "giphy", position: "1"))
        room.search.following["1"] = .success(
            SearchPage(gifs: [gif("b")], continuation: PageContinuation(source: "giphy", position: "2")))
        room.search.following["2"] = .success(SearchPage(gifs: [gif("c"), gif("d")]))
        room.say("!gif owl")
        for _ in 0..<3 { room.say("!gif next") }
        await room.bot.waitUntilIdle()
        #expect(urls(room) == ["a.gif", "b.gif", "c.gif", "d.gif"])
        #expect(room.adapter.notices.isEmpty)
    }

    @Test("A page turn costs a quarter, and nothing when there is nothing to turn to")
    func cost() {
        let room = Room {
            $0.dropLimits()
            $0.limits.user = limit("2/1m")
        }
        room.say("!gif party")
        for text in ["!gif next", "!gif next", "!gif next", "!gif next", "!gif prev", "!gif prev"] { room.say(text) }
        #expect(room.adapter.answers.count == 5)
        #expect(room.adapter.notices.first == Sentences.lastResult)
        #expect(room.bot.counts.refusals == 0)
        room.say("!gif next")
        #expect(room.bot.counts.refusals == 1)
    }

    @Test("list is one private line of five titles with sizes and no URL")
    func list() {
        let room = room()
        room.search.pages["owl"] = SearchPage(
            gifs: (1...7).map { gif("\($0)", title: "A rather long title of an owl, number \($0)") })
        room.say("!gif owl")
        room.say("!gif list")
        let reply = room.adapter.sent.last
        #expect(reply?.audience == .asker && reply?.kind == .notice && reply?.url == nil)
        let text = reply?.text ?? ""
        for number in 1...5 { #expect(text.contains("Result \(number):")) }
        #expect(!text.contains("Result 6") && text.contains("480\u{D7}270") && !text.contains("http"))
        #expect(text.utf8.count <= 400)
        room.say("!gif #6")
        room.say("!gif list")
        #expect(room.adapter.sent.last?.text.hasPrefix("Result 6:") == true)
        room.adapter.isPublic = true
        room.say("!gif list")
        #expect(room.adapter.notices.last == Sentences.noPrivateTalk)
    }

    @Test("preview is for the asker alone until it is sent")
    func preview() {
        let room = room()
        room.say("!gif preview party")
        room.say("!gif next")
        #expect(room.adapter.sent.map(\.audience) == [.asker, .asker])
        #expect(room.adapter.sent.last?.text.hasPrefix("Preview: ") == true)
        #expect(room.store.shownIDs.isEmpty)
        room.say("!gif send")
        #expect(room.adapter.sent.last?.audience == .conversation && urls(room).last == "b.gif")
        room.say("!gif send")
        #expect(room.adapter.notices == [Sentences.noPreview("!gif")])
        room.say("!gif next")
        #expect(room.adapter.sent.last?.audience == .conversation && urls(room).last == "c.gif")
        room.say("!gif preview party")
        room.say("!gif cancel")
        #expect(
            room.adapter.sent.last
                == Reply(
                    kind: .notice, audience: .asker, text: Sentences.previewCancelled, url: nil))
        room.say("!gif cancel")
        #expect(room.adapter.notices.last == Sentences.noPreview("!gif"))
    }

    @Test("Where nobody can be told alone, a preview isn't shown at all")
    func noPreview() {
        let room = room()
        room.adapter.isPublic = true
        room.say("!gif preview party")
        #expect(room.adapter.sent.map(\.text) == [Sentences.noPrivateTalk])
    }

    @Test("random, trending and sticker ask for what they say")
    func modes() {
        let room = room()
        room.search.pages["cat"] = page(gif("a"))
        room.search.pages[""] = page(gif("b"))
        for text in ["!gif random cat", "!gif random", "!gif trending", "!gif sticker --rating g cat"] {
            room.say(text)
        }
        #expect(room.search.asked.map(\.mode) == [.random, .random, .trending, .search])
        #expect(room.search.asked.map(\.kind) == [.gif, .gif, .gif, .sticker])
        #expect(room.adapter.answers.count == 4)
        let off = Room { $0.allowsStickers = false }
        off.say("!gif sticker party")
        #expect(off.adapter.notices == [Sentences.noStickers] && off.search.asked.isEmpty)
        // What GIPHY makes of the word "sticker" among others.
        off.search.pages["cat sticker"] = page(gif("a", kind: .sticker), gif("b"))
        off.say("!gif cat sticker")
        #expect(urls(off) == ["b.gif"])
    }

    @Test("A sub-command counts only when it stands alone in that form")
    func words() {
        let room = room()
        for text in ["!gif next friday", "!gif -- next", "!gif undo it", "!gif #1 fan", "!gif sticker"] {
            room.say(text)
        }
        #expect(room.search.asked.map(\.words) == ["next friday", "next", "undo it", "#1 fan", "sticker"])
    }

    @Test("Paging obeys the asker's rating, and what the channel denies by then")
    func suitable() {
        let room = Room {
            $0.dropLimits()
            $0.rating = .r
        }
        room.search.pages["owl"] = page(gif("a"), gif("r", rating: .r), gif("c"))
        room.say("!gif --rating g owl")
        room.say("!gif next")
        #expect(urls(room) == ["a.gif", "c.gif"])
    }

    @Test("BUG-23: a word that is denied isn't searched for either")
    func deniedWord() {
        let room = Room { $0.deniedWords = ["party"] }
        room.say("!gif party hat")
        #expect(room.search.asked.isEmpty && room.adapter.notices == [Sentences.nothingSuitable])
    }

    @Test("A search that nobody pages any more is not held")
    func letGo() {
        let room = room()
        for number in 0..<1000 { room.say("!gif party", by: "user \(number % 5)") }
        #expect(room.bot.choices.count <= 64)
        for number in 0..<5 { room.say("!gif #1", by: "user \(number)") }
        #expect(room.adapter.notices.isEmpty && room.adapter.answers.count == 1005)
    }

    @Test("Searches held are bounded: those made first have to be made again")
    func bounded() {
        let room = room()
        for number in 0...Choices.capacity { room.say("!gif party", by: "user \(number)") }
        room.say("!gif next", by: "user 0")
        #expect(room.adapter.notices == [Sentences.noSearchHeld("!gif")])
        room.say("!gif #1", by: "user \(Choices.capacity)")
        #expect(room.adapter.notices.count == 1)
    }
}
