import Base
import Chat
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

private let direct = "!direct:example.test"
private let bo = "@bo:example.test"

/// For the eyes of who asked.
private func psst(_ id: String? = nil, media: ReplyMedia? = nil) -> Reply {
    Reply(kind: .answer, audience: .asker, text: "psst", url: nil, id: id.map { AnswerID($0) }, media: media)
}

private func people(_ members: [(String, String)]) -> FakeHomeserver.Answer {
    .ok([
        "chunk": .array(
            members.map { event("m.room.member", ["membership": .string($0.1)], id: "$p", from: $0.0, key: $0.0) })
    ])
}

extension Bench {
    /// As after a restart, with a chat of two from before, and a command in another room.
    fileprivate static func restarted(_ answers: FakeHomeserver.Answer...) async -> Bench {
        let bench = Bench(position: "s0")
        bench.store.storedDirectChats = [ada: direct, bo: "!other:example.test"]
        for answer in answers { bench.server.next("/members", answer) }
        bench.adapter.start()
        await bench.settle()
        await bench.sync(rooms: ["join": [direct: ["state": ["events": [created]]]]])
        await bench.sync([text("!gif owl", id: "$1")])
        return bench
    }

    fileprivate func whisper(to index: Int = 0) -> SendOutcome { adapter.send(psst(), to: bot.messages[index]) }
}

/// What only one person may read.
@Loop @Suite struct DirectChatTests {
    @Test("What only the asker may see goes to a direct chat that is there, and nowhere else")
    func asker() async {
        let bench = await Bench.asked()
        #expect(bench.adapter.send(psst("$1"), to: bench.bot.messages[0]) != .accepted)
        await bench.sync([text("hello", id: "$d")], room: direct, people: 2)
        #expect(bench.adapter.send(psst("$1"), to: bench.bot.messages[0]) == .accepted)
        await bench.settle()
        #expect(bench.server.sent == [["msgtype": "m.notice", "body": "psst", "m.mentions": [:]]])
        #expect(bench.server.requests("/send/")[0].url.contains("%21direct"))
        // A third one came in: it is no chat of two any more.
        await bench.sync([], state: [], room: direct, people: 3)
        #expect(bench.adapter.send(psst("$1"), to: bench.bot.messages[0]) != .accepted)
    }

    @Test(
        "Who left a chat of two gets no private answer there: another one reads it now", arguments: ["leave", "ban"])
    func askerLeft(membership: String) async {
        let bench = await Bench.asked()
        await bench.sync([text("hello", id: "$d")], room: direct, people: 2)
        #expect(bench.adapter.send(psst("$1"), to: bench.bot.messages[0]) == .accepted)
        await bench.settle()
        let bo = event(
            "m.room.member", ["membership": "join"], id: "$j", from: "@bo:example.test", key: "@bo:example.test")
        let gone = event("m.room.member", ["membership": .string(membership)], id: "$l", key: ada)
        await bench.sync([bo, gone], state: [], room: direct, people: 2)
        #expect(bench.adapter.send(psst("$1"), to: bench.bot.messages[0]) != .accepted)
        #expect(bench.adapter.revise(psst("$1"), to: bench.bot.messages[0]) != .accepted)
        await bench.settle()
        #expect(bench.server.sent.count == 1)
    }

    @Test("A private answer that waits when its reader leaves isn't sent any more")
    func askerLeftMeanwhile() async {
        let bench = await Bench.asked()
        await bench.sync([text("hello", id: "$d")], room: direct, people: 2)
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        #expect(bench.adapter.send(psst(), to: bench.bot.messages[0]) == .accepted)
        await bench.settle()
        await bench.sync(
            [event("m.room.member", ["membership": "leave"], id: "$l", key: ada)], state: [], room: direct, people: 2)
        await bench.advance(by: .minutes(1))
        #expect(bench.server.sent.count == 1)
    }

    @Test("A chat of two that had a third one in it isn't trusted again by itself")
    func askerInCrowd() async {
        let bench = await Bench.asked()
        await bench.sync([text("hello", id: "$d")], room: direct, people: 2)
        await bench.sync([], state: [], room: direct, people: 3)
        await bench.sync([], state: [], room: direct, people: 2)
        #expect(bench.adapter.send(psst("$1"), to: bench.bot.messages[0]) != .accepted)
        bench.server.next("/members", people([(ada, "join"), (MatrixAdapterTests.bot, "join")]))
        await bench.sync([text("hello", id: "$d2")], state: [], room: direct, people: 2)
        #expect(bench.adapter.send(psst("$1"), to: bench.bot.messages[0]) == .accepted)
    }

    @Test("BUG-04: the command of a private answer is still taken back from its own room")
    func privateAnswer() async {
        let bench = await Bench.asked()
        await bench.sync([text("hello", id: "$d")], room: direct, people: 2)
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        #expect(bench.adapter.send(psst("$1"), to: bench.bot.messages[0]) == .accepted)
        await bench.settle()
        await bench.sync([event("m.room.redaction", ["redacts": "$1"], id: "$r")])
        await bench.advance(by: .minutes(1))
        #expect(bench.bot.changes.map(\.kind) == [.redacted] && bench.server.sent.count == 1)
    }

    @Test("A private answer that waits when a third one comes isn't sent any more", arguments: [nil, "$1"])
    func crowdedMeanwhile(id: String?) async {
        let bench = await Bench.asked()
        await bench.sync([text("hello", id: "$d")], room: direct, people: 2)
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        #expect(bench.adapter.send(psst(id), to: bench.bot.messages[0]) == .accepted)
        await bench.settle()
        await bench.sync([], state: [], room: direct, people: 3)
        await bench.advance(by: .minutes(1))
        #expect(bench.server.sent.count == 1 && bench.adapter.confidences.isEmpty)
        // What is said to everybody there goes out.
        await bench.sync([text("!gif hen", id: "$2")], state: [], room: direct, people: 3)
        #expect(bench.answer("Hen") == .accepted)
        await bench.settle()
        #expect(bench.server.sentBodies.last == "Hen")
    }

    @Test("Nor is one that was asked for in the chat of two itself, or whose file is on its way")
    func crowdedWhileUploading() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")], room: direct, people: 2)
        bench.server.next("media.test/", .hang)
        let media = ReplyMedia(
            id: "giphy:1",
            files: [.init(url: "https://media.test/a", mediaType: nil, width: nil, height: nil, byteCount: nil)],
            title: "", altText: nil, maximumBytes: 1000)
        #expect(bench.adapter.send(psst("$1", media: media), to: bench.bot.messages[0]) == .accepted)
        await bench.settle()
        await bench.sync([], state: [], room: direct, people: 3)
        bench.server.release(.bytes(SmallImage.gif(frames: 2)))
        await bench.settle()
        #expect(bench.server.sent.isEmpty && bench.adapter.confidences.isEmpty)
    }

    @Test("A command given in a chat of two, and a third one who comes before its private answer: it isn't said there")
    func crowdedBeforeAnswer() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")], room: direct, people: 2)
        #expect(bench.bot.messages.map(\.conversation.isDirect) == [true])
        await bench.sync([], state: [], room: direct, people: 3)
        #expect(bench.whisper() != .accepted)
        await bench.settle()
        #expect(bench.server.sent.isEmpty)
    }

    @Test("Nor when somebody else took the place of who asked")
    func exchangedBeforeAnswer() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")], room: direct, people: 2)
        let joins = event("m.room.member", ["membership": "join"], id: "$j", from: bo, key: bo)
        let leaves = event("m.room.member", ["membership": "leave"], id: "$l", key: ada)
        await bench.sync([joins, leaves], state: [], room: direct, people: 2)
        #expect(bench.whisper() != .accepted)
        await bench.settle()
        #expect(bench.server.sent.isEmpty)
    }

    @Test("Nor when a third one is invited, and the server doesn't say that they are three")
    func uncountedBeforeAnswer() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")], room: direct, people: 2)
        let invite = event("m.room.member", ["membership": "invite"], id: "$i", key: bo)
        await bench.sync([invite], state: [], room: direct, people: nil)
        #expect(bench.whisper() != .accepted)
        bench.server.next("/joined_members", .ok(["joined": ["@ada:example.test": [:], "@gifbot:example.test": [:]]]))
        bench.server.next(
            "/members", times: 2, people([(ada, "join"), (MatrixAdapterTests.bot, "join"), (bo, "invite")]))
        await bench.sync([text("!gif hen", id: "$2")], state: [], room: direct, people: nil)
        #expect(bench.bot.messages.map(\.conversation.isDirect) == [true, false])
        #expect(bench.whisper(to: 1) != .accepted && bench.server.sent.isEmpty)
    }

    @Test("A private answer that waits when the position is lost isn't sent: who came meanwhile isn't told")
    func positionLost() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")], room: direct, people: 2)
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        #expect(bench.whisper() == .accepted)
        await bench.settle()
        bench.server.sync(.refusal(400, "M_UNKNOWN"))
        await bench.settle()
        await bench.advance(by: .minutes(1))
        #expect(bench.server.sent.count == 1 && bench.adapter.confidences.isEmpty)
    }

    @Test(
        "While the members of what was made as a chat of two can't be learned, words there count and nothing private is said"
    )
    func unknownMembers() async {
        let bench = Bench(position: "s0")
        bench.server.next("/joined_members", .ok(["joined": ["@ada:example.test": [:], "@gifbot:example.test": [:]]]))
        bench.server.next("/members", times: 9, .page(502, "<html>"))
        bench.adapter.start()
        await bench.settle()
        let own = event(
            "m.room.member", ["membership": "join", "is_direct": true], id: "$own", from: MatrixAdapterTests.bot,
            key: MatrixAdapterTests.bot)
        await bench.sync([text("gif owl", id: "$1")], state: [created, own], room: direct, people: nil)
        #expect(bench.bot.messages.map(\.conversation.isDirect) == [true])
        #expect(bench.whisper() != .accepted)
        // What everybody there may read is said.
        #expect(bench.answer("Owl") == .accepted)
        await bench.settle()
        #expect(bench.server.sentBodies == ["Owl"])
    }

    @Test("After a restart a chat of two is known again, once its members were looked at")
    func restart() async {
        let bench = await Bench.restarted(people([(ada, "join"), (bot, "join"), (bo, "ban")]))
        #expect(bench.whisper() == .accepted)
        await bench.settle()
        #expect(bench.server.requests("/send/")[0].url.contains("%21direct"))
        #expect(bench.server.requests("/members").count == 1 && bench.store.storedDirectChats[ada] == direct)
        // From here on it is watched like any other.
        await bench.sync([], state: [], room: direct, people: 3)
        #expect(bench.whisper() != .accepted)
    }

    @Test(
        "One where somebody else is by now, or invited, or that is gone, is forgotten",
        arguments: [
            people([(ada, "join"), (bot, "join"), (bo, "join")]),
            people([(ada, "join"), (bot, "join"), (bo, "invite")]),
            people([(bo, "join"), (bot, "join")]), people([(ada, "invite"), (bot, "join")]),
            .refusal(403, "M_FORBIDDEN"), .failure(.bodyTooLarge(limit: 1)),
        ])
    func restartInCrowd(answer: FakeHomeserver.Answer) async {
        let bench = await Bench.restarted(answer)
        #expect(bench.whisper() != .accepted && bench.store.storedDirectChats[ada] == nil)
        await bench.sync([text("!gif hen", id: "$2")])
        #expect(bench.server.requests("/members").count == 1)
    }

    @Test("A server that doesn't tell is asked again with the next words")
    func restartAsksAgain() async {
        let bench = await Bench.restarted(.page(502, "<html>"), people([(ada, "join"), (bot, "join")]))
        #expect(bench.whisper() != .accepted)
        await bench.sync([text("!gif hen", id: "$2")])
        #expect(bench.whisper(to: 1) == .accepted)
    }

    @Test(
        "A third one who is invited, and then words of the first: nothing private is said there",
        arguments: [true, false])
    func invitedThird(isRemembered: Bool) async {
        let bench = Bench(position: "s0")
        if isRemembered { bench.store.storedDirectChats = [ada: direct] }
        bench.server.next("/joined_members", .ok(["joined": ["@ada:example.test": [:], "@gifbot:example.test": [:]]]))
        bench.server.next(
            "/members", times: 3, people([(ada, "join"), (MatrixAdapterTests.bot, "join"), (bo, "invite")]))
        bench.adapter.start()
        await bench.settle()
        await bench.sync([text("!gif owl", id: "$d")], room: direct, people: nil)
        #expect(bench.bot.messages.map(\.conversation.isDirect) == [false])
        #expect(bench.whisper() != .accepted)
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(bench.whisper(to: 1) != .accepted && bench.server.sent.isEmpty)
    }

    @Test("Words from before a look don't outdo what it said")
    func wordsBeforeLook() async {
        let bench = Bench(position: "s0")
        bench.store.storedDirectChats = [ada: direct]
        bench.server.next("/members", times: 2, people([(bo, "join"), (MatrixAdapterTests.bot, "join")]))
        bench.adapter.start()
        await bench.settle()
        await bench.sync([text("!gif owl", id: "$d")], room: direct, people: 2)
        #expect(bench.adapter.directChat(with: ada) == nil)
    }

    @Test("A server that is slow to tell of a chat of two holds nothing else up")
    func slowLook() async {
        let bench = await Bench.restarted(.hang)
        #expect(bench.bot.messages.isEmpty)
        await bench.advance(by: .seconds(1))
        #expect(bench.bot.texts == ["!gif owl"] && bench.whisper() != .accepted)
        // It isn't asked again meanwhile, nor waited for.
        await bench.sync([text("!gif hen", id: "$2")])
        #expect(bench.bot.texts.count == 2 && bench.server.requests("/members").count == 1)
        bench.server.release(people([(ada, "join"), (MatrixAdapterTests.bot, "join")]))
        await bench.settle()
        #expect(bench.whisper(to: 1) == .accepted)
    }

    @Test("A late word about a chat of two doesn't count once the sync told of the room")
    func staleLook() async {
        let bench = await Bench.restarted(.hang)
        await bench.advance(by: .seconds(1))
        let invite = event("m.room.member", ["membership": "invite"], id: "$i", key: bo)
        await bench.sync([invite], state: [], room: direct, people: nil)
        bench.server.release(people([(ada, "join"), (MatrixAdapterTests.bot, "join")]))
        await bench.settle()
        #expect(bench.adapter.directChat(with: ada) == nil && bench.whisper() != .accepted)
    }

    @Test("Many chats, and a batch that tells of each", .timeLimit(.minutes(1)))
    func many() {
        var chats = DirectChats(capacity: 20_000)
        for number in 0..<20_000 { _ = chats.set("!\(number)", with: "@\(number)", isSure: true) }
        for number in 0..<20_000 {
            chats.doubt("!\(number)")
            #expect(chats.people(of: "!\(number)") == ["@\(number)"])
        }
        #expect(chats.doubtfulRoom(with: "@7") == "!7" && chats.room(with: "@7") == nil)
        // Who goes at the bound, moves or is forgotten is in no room any more.
        let other = chats.set("!7", with: "@new", isSure: true)
        #expect(other.map { chats.people(of: "!" + $0.dropFirst()).contains($0) } == false)
        #expect(chats.people(of: "!7").contains("@new"))
        _ = chats.set("!8", with: "@new", isSure: true)
        #expect(!chats.people(of: "!7").contains("@new") && chats.forget("!8", with: "@new"))
        #expect(!chats.people(of: "!8").contains("@new"))
    }

    @Test("At the bound the one used longest ago goes")
    func oldest() {
        var chats = DirectChats(capacity: 3)
        let gone = ["@a", "@b", "@c", "@a", "@d", "@e"].map { user in
            chats.set("!" + user, with: user, isSure: user != "@d")
        }
        #expect(gone == [nil, nil, nil, nil, "@b", "@c"])
        #expect(chats.room(with: "@a") == "!@a")
    }

    @Test("One that is used is told to the store each time, which knows when it was written last")
    func used() async {
        let bench = await Bench.running()
        for number in 0..<3 { await bench.sync([text("hello", id: "$\(number)")], room: direct, people: 2) }
        #expect(bench.store.directChatSaves == 3 && bench.store.storedDirectChats == [ada: direct])
    }

    @Test("Invited to a chat of two it is known without a word said there, and kept")
    func invited() async {
        let bench = await Bench.running()
        bench.server.next("/members", people([(ada, "join"), (bot, "join")]))
        let invite = event(
            "m.room.member", ["membership": "invite", "is_direct": true], id: "$i", key: MatrixAdapterTests.bot)
        await bench.sync(rooms: ["invite": [direct: ["invite_state": ["events": [created, invite]]]]])
        await bench.sync(room: direct, people: 2)
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(bench.whisper() == .accepted && bench.store.storedDirectChats == [ada: direct])
        await bench.sync(rooms: ["leave": [direct: [:]]])
        #expect(bench.whisper() != .accepted && bench.store.storedDirectChats.isEmpty)
    }

    @Test("BUG-04: after a restart too, the command of a private answer is taken back from its own room alone")
    func restartRedaction() async {
        let bench = Bench(position: "s0")
        bench.store.storedAnswers = [
            StoredAnswer(
                id: "$old", commandRoom: room1, room: direct, thread: nil, asker: ada, event: "$answer",
                at: bench.clock.wall)
        ]
        bench.adapter.start()
        await bench.settle()
        await bench.sync([event("m.room.redaction", ["redacts": "$old"], id: "$r")], room: direct, people: 2)
        #expect(bench.bot.changes.isEmpty)
        await bench.sync([event("m.room.redaction", ["redacts": "$old"], id: "$r2")])
        #expect(bench.bot.changes.map(\.kind) == [.redacted])
        guard let change = bench.bot.changes.first else { return }
        #expect(bench.adapter.retract(change.answer, for: change.message) == .accepted)
        await bench.settle()
        #expect(bench.server.requests("/redact/%24answer/").count == 1)
    }
}
