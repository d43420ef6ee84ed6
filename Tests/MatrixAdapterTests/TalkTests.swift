import Base
import Chat
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

@Loop @Suite struct TalkTests {
    @Test("A command and its answer: a notice that replies, with a transaction id made from the command's")
    func answer() async {
        let bench = await Bench.running()
        await bench.sync([text("GIF Bot: gif owl", id: "$1")])
        let message = bench.bot.messages[0]
        #expect(message.id == "$1" && message.text == "gif owl" && message.isAddressed)
        #expect(message.conversation == Conversation(network: "home", name: room1, isDirect: false))
        #expect(message.sender == Sender(identity: .userID(ada), name: ada, isAdmin: true, isOperator: true))
        #expect(bench.answer("Owl — https://x.test/o", url: "https://x.test/o") == .accepted)
        await bench.settle()
        #expect(
            bench.server.sent == [
                [
                    "msgtype": "m.notice", "body": "Owl — https://x.test/o", "m.mentions": [:],
                    "format": "org.matrix.custom.html",
                    "formatted_body": "Owl — <a href=\"https://x.test/o\">https://x.test/o</a>",
                    "m.relates_to": ["m.in_reply_to": ["event_id": "$1"]],
                ]
            ])
        #expect(bench.server.requests("/send/")[0].url.hasSuffix("/send/m.room.message/gifbot.1.%241"))
        #expect(bench.server.requests("/send/")[0].method == .put)
    }

    @Test("In a thread the answer stays there")
    func thread() async {
        let bench = await Bench.running()
        await bench.sync([
            text(
                "!gif owl", id: "$1",
                more: [
                    "m.relates_to": [
                        "rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
                        "m.in_reply_to": ["event_id": "$0"],
                    ]
                ])
        ])
        _ = bench.answer("Owl")
        await bench.settle()
        #expect(
            bench.server.sent.first?["m.relates_to"] == [
                "rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
                "m.in_reply_to": ["event_id": "$1"],
            ])
    }

    @Test(
        "BUG-01: bodies come to the bot as typed",
        arguments: ["!gif  owl ", " !gif\u{A0}owl", "!gif\nowl", "/gif owl", "//gif owl"])
    func bodies(body: String) async {
        let bench = await Bench.running()
        await bench.sync([text(body, id: "$1")])
        #expect(bench.bot.texts == [body] && bench.bot.messages.map(\.isAddressed) == [false])
    }

    @Test("BUG-04: an edit is no command, delivered once or twice")
    func edits() async {
        let bench = await Bench.running()
        let edit = text(
            "* !gif owl", id: "$b",
            more: [
                "m.new_content": ["msgtype": "m.text", "body": "!gif owl"],
                "m.relates_to": ["rel_type": "m.replace", "event_id": "$a"],
            ])
        await bench.sync([text("!gif owll", id: "$a")])
        await bench.sync([edit])
        await bench.sync([edit])
        #expect(bench.bot.texts == ["!gif owll"])
    }

    @Test("BUG-04: a command redacted before its answer gets none")
    func redacted() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")])
        await bench.sync([event("m.room.redaction", ["redacts": "$1"], id: "$r")])
        #expect(bench.answer("Owl") == .refused("the command was redacted"))
        // While it waits for a limit, too.
        await bench.sync([text("!gif hen", id: "$2")])
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        #expect(bench.answer("Hen") == .accepted)
        await bench.settle()
        await bench.sync([event("m.room.redaction", ["redacts": "$2"], id: "$r2")])
        await bench.advance(by: .minutes(1))
        #expect(bench.server.sentBodies == ["Hen"])
        #expect(bench.store.positions[bot] == "s5")
    }

    @Test("BUG-13: fifty rounds of a bot that answers in notices end at once")
    func notices() async {
        let bench = await Bench.running()
        bench.bot.answersAtOnce = "usage"
        await bench.sync(
            (0..<50).map { event("m.room.message", ["msgtype": "m.notice", "body": "!gif owl"], id: "$\($0)") })
        #expect(bench.server.sent.isEmpty)
    }

    @Test("BUG-15: one event id is handed over once")
    func repeated() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1"), text("!gif owl", id: "$1")])
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(bench.bot.texts == ["!gif owl"])
    }

    @Test("BUG-15: the position is saved after the answer is sent, not before")
    func position() async {
        let bench = await Bench.running()
        #expect(bench.store.positions[bot] == "s1")
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(bench.store.positions[bot] == "s1")
        bench.server.next("/send/", .hang)
        _ = bench.answer("Owl")
        await bench.sync()
        #expect(bench.store.positions[bot] == "s1")
        #expect(bench.store.answered.isEmpty)
        bench.server.release(.ok(["event_id": "$x"]))
        await bench.settle()
        #expect(bench.store.positions[bot] == "s3" && bench.store.answered == ["$1"])
        // A remark is nothing to wait for.
        await bench.sync([text("nice", id: "$2")])
        #expect(bench.store.positions[bot] == "s4" && bench.store.answered == ["$1"])
    }

    @Test("BUG-15: a command without an end doesn't hold the position for ever, and isn't noted")
    func endless() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")])
        await bench.advance(by: .minutes(5))
        await bench.sync()
        #expect(bench.store.positions[bot] == "s1")
        await bench.advance(by: .minutes(2))
        await bench.sync()
        #expect(bench.store.positions[bot] == "s4" && bench.store.answered.isEmpty)
    }

    @Test("BUG-15 (e): what was answered is not handed over after a restart, and what wasn't is the same event again")
    func restarted() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        _ = bench.answer("Owl", to: 0)
        await bench.settle()
        bench.server.next("/send/", .hang)
        _ = bench.answer("Hen", to: 1)
        await bench.settle()
        #expect(bench.store.answered == ["$1"] && bench.store.positions[bot] == "s1")

        let again = Bench(position: "s1", answered: bench.store.answered)
        again.adapter.start()
        await again.settle()
        await again.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        #expect(again.bot.texts == ["!gif hen"])
        _ = again.answer("Hen")
        await again.settle()
        #expect(again.server.requests("/send/").map(\.url) == [bench.server.requests("/send/")[1].url])
        #expect(again.store.positions[bot] == "s1" && again.store.answered == ["$1", "$2"])
    }

    @Test(
        "BUG-16: a limited room waits as told, with the same transaction; another isn't held up",
        arguments: [
            (
                FakeHomeserver.Answer.refusal(429, "M_LIMIT_EXCEEDED", ["retry_after_ms": 2500]),
                Duration.milliseconds(2500)
            ),
            (.refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "3"), .seconds(3)),
            (.refusal(429, "M_LIMIT_EXCEEDED"), .seconds(1)),
        ])
    func limited(answer: FakeHomeserver.Answer, wait: Duration) async {
        let bench = await Bench.running()
        await bench.sync(room: "!r2")
        await bench.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        await bench.sync([text("!gif cat", id: "$3")], room: "!r2")
        bench.server.next("/send/", answer)
        for (index, body) in ["Owl", "Hen", "Cat"].enumerated() { #expect(bench.answer(body, to: index) == .accepted) }
        await bench.settle()
        #expect(bench.server.sentBodies == ["Owl", "Cat"])
        await bench.advance(by: wait - .milliseconds(1))
        #expect(bench.server.sentBodies == ["Owl", "Cat"])
        await bench.advance(by: .milliseconds(1))
        #expect(bench.server.sentBodies == ["Owl", "Cat", "Owl", "Hen"])
        let urls = bench.server.requests("/send/").map(\.url)
        #expect(urls[0] == urls[2])
    }

    @Test("BUG-16: a huge wait gives the answer up, and says so")
    func hugeWait() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")])
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", ["retry_after_ms": 9_000_000]))
        _ = bench.answer("Owl")
        await bench.settle()
        await bench.advance(by: .hours(3))
        #expect(bench.server.sentBodies == ["Owl"])
        #expect(bench.lines.lines.filter { $0.contains("not sent") }.count == 1)
        #expect(bench.adapter.haltReason == nil)
    }

    @Test("A forbidden answer is not repeated; a broken exchange is")
    func refusals() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        bench.server.next("/send/", .refusal(403, "M_FORBIDDEN"), .failure(.broken(host: "x", reason: "reset")))
        _ = bench.answer("Owl", to: 0)
        _ = bench.answer("Hen", to: 1)
        await bench.settle()
        await bench.advance(by: .seconds(1))
        #expect(bench.server.sentBodies == ["Owl", "Hen", "Hen"])
    }

    @Test("Where the bot may not or must not speak it doesn't")
    func silent() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")])
        let message = bench.bot.messages[0]
        let whisper = Reply(kind: .answer, audience: .asker, text: "x", url: nil)
        #expect(bench.adapter.send(whisper, to: message) != .accepted)
        await bench.sync([event("m.room.power_levels", ["events_default": 50], id: "$p", key: "")])
        #expect(bench.answer("Owl") == .refused("not allowed to speak in the room"))
        await bench.sync([event("m.room.encryption", ["algorithm": "x"], id: "$enc", key: "")])
        #expect(bench.answer("Owl") == .refused("the room is encrypted"))
        await bench.sync([text("!gif hen", id: "$2")])
        #expect(bench.bot.texts == ["!gif owl"] && bench.server.sent.isEmpty)
        #expect(bench.lines.lines.filter { $0.contains("encrypted") }.count == 1)
    }

    @Test("A direct chat is one, also after a restart")
    func direct() async {
        let bench = await Bench.running()
        await bench.sync([text("gif owl", id: "$1")], room: "!d", people: 2)
        #expect(bench.bot.messages[0].conversation.isDirect)
        let whisper = Reply(kind: .answer, audience: .asker, text: "x", url: nil)
        #expect(bench.adapter.send(whisper, to: bench.bot.messages[0]) == .accepted)

        let again = Bench(position: "s0")
        again.server.next("/joined_members", .ok(["joined": ["@a:b": [:], "@c:d": [:]]]))
        let members = [ada, MatrixAdapterTests.bot].map { event("m.room.member", ["membership": "join"], key: $0) }
        again.server.next("/members", .ok(["chunk": .array(members)]))
        again.adapter.start()
        await again.settle()
        await again.sync([text("gif owl", id: "$1")], room: "!d", people: nil)
        #expect(again.bot.messages.map(\.conversation.isDirect) == [true])
    }

    @Test func ignoredPeople() async {
        let bench = await Bench.running(ignore: ["@troll:example.test"])
        await bench.sync([
            text("!gif owl", id: "$1", from: "@troll:example.test"), text("!gif hen", id: "$2", from: "@bo:x"),
        ])
        #expect(bench.bot.texts == ["!gif hen"])
        #expect(
            bench.bot.messages[0].sender
                == Sender(identity: .userID("@bo:x"), name: "@bo:x", isAdmin: false, isOperator: false))
    }

    @Test("Answers given at once while a batch is read are sent and counted")
    func atOnce() async {
        let bench = await Bench.running()
        bench.bot.answersAtOnce = "Owl"
        await bench.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        #expect(bench.server.sentBodies == ["Owl", "Owl"])
        #expect(bench.store.positions[bot] == "s2")
    }
}
