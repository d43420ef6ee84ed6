import Base
import Chat
import HTTP
import JSON
import Matrix
import TestSupport
import Testing

@testable import MatrixAdapter

private func edit(_ body: String, of original: String, id: String, from sender: String = ada, age: Int64 = 100)
    -> JSONValue
{
    text(
        "* " + body, id: id, from: sender,
        more: [
            "m.new_content": ["msgtype": "m.text", "body": .string(body)],
            "m.relates_to": ["rel_type": "m.replace", "event_id": .string(original)],
        ], age: age)
}

private func mark(_ key: String, on event: String, id: String = "$m", from sender: String = ada) -> JSONValue {
    MatrixAdapterTests.event(
        "m.reaction",
        ["m.relates_to": ["rel_type": "m.annotation", "event_id": .string(event), "key": .string(key)]], id: id,
        from: sender)
}

extension Bench {
    fileprivate func revise(_ text: String, _ id: String = "$1", media: ReplyMedia? = nil) -> SendOutcome {
        adapter.revise(
            Reply(
                kind: .answer, audience: .conversation, text: text, url: nil, id: AnswerID(id), media: media),
            to: bot.messages[0])
    }

    fileprivate func retract(_ id: String = "$1") -> SendOutcome {
        adapter.retract(AnswerID(id), for: bot.messages[0])
    }
}

@Loop @Suite struct RevisionTests {
    @Test("An answer is changed in its place: an edit with new content and its own transaction")
    func revise() async {
        let bench = await Bench.asked()
        _ = bench.post(nil, "Owl")
        await bench.settle()
        #expect(bench.revise("Hen") == .accepted)
        await bench.settle()
        #expect(
            bench.server.sent.last == [
                "msgtype": "m.notice", "body": "* Hen", "m.mentions": [:],
                "m.new_content": ["msgtype": "m.notice", "body": "Hen", "m.mentions": [:]],
                "m.relates_to": ["rel_type": "m.replace", "event_id": "$sent1"],
            ])
        #expect(bench.revise("Fox") == .accepted)
        await bench.settle()
        #expect(bench.server.sent.last?["m.relates_to"]?["event_id"] == "$sent1")
        #expect(Set(bench.server.requests("/send/").map(\.url)).count == 3)
        #expect(bench.revise("x", "$unknown") != .accepted)
    }

    @Test("An image in the place of a text, and what waits is changed where it stands")
    func reviseMore() async {
        let bench = await Bench.asked()
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        _ = bench.post(nil, "blocks the room")
        await bench.settle()
        await bench.sync([text("!gif hen", id: "$2")])
        _ = bench.post(nil, "Hen")
        #expect(bench.revise("Better hen", "$2") == .accepted)
        await bench.advance(by: .seconds(10))
        #expect(Array(bench.server.sentBodies.suffix(2)) == ["blocks the room", "Better hen"])
        bench.server.next("media.test/", .bytes(SmallImage.gif(frames: 2)))
        let media = ReplyMedia(
            id: "giphy:1",
            files: [.init(url: "https://media.test/a", mediaType: nil, width: nil, height: nil, byteCount: nil)],
            title: "", altText: nil, maximumBytes: 1000)
        #expect(bench.revise("Image hen", "$2", media: media) == .accepted)
        await bench.settle()
        let last = bench.server.sent.last
        #expect(last?["msgtype"] == "m.notice" && last?["m.new_content"]?["msgtype"] == "m.image")
        #expect(last?["m.new_content"]?["filename"] == "image.gif" && last?["m.new_content"]?["m.relates_to"] == nil)
    }

    @Test("Taken back: by a redaction when it is there, without a word while it waits or is uploaded")
    func retract() async {
        let bench = await Bench.asked()
        #expect(bench.retract() != .accepted)
        _ = bench.post(nil, "Owl")
        await bench.settle()
        #expect(bench.retract() == .accepted)
        await bench.settle()
        let redactions = bench.server.requests("/redact/")
        #expect(
            redactions.count == 1 && redactions[0].method == .put && redactions[0].url.contains("/redact/%24sent1/"))
        #expect(bench.retract() != .accepted && bench.revise("x") != .accepted)
        #expect(bench.store.storedAnswers.isEmpty)

        await bench.sync([text("!gif hen", id: "$2")])
        bench.server.next("media.test/", .hang)
        let media = ReplyMedia(
            id: "giphy:1",
            files: [.init(url: "https://media.test/a", mediaType: nil, width: nil, height: nil, byteCount: nil)],
            title: "", altText: nil, maximumBytes: 1000)
        _ = bench.post(media, "Hen")
        await bench.settle()
        #expect(bench.retract("$2") == .accepted)
        await bench.settle()
        await bench.sync([text("!gif fox", id: "$3")])
        _ = bench.post(nil, "Fox")
        await bench.settle()
        #expect(bench.server.sentBodies == ["Owl", "Fox"] && bench.server.requests("/redact/").count == 1)
    }

    @Test("Taken back while it is on its way: the redaction follows it")
    func retractInFlight() async {
        let bench = await Bench.asked()
        bench.server.next("/send/", .hang)
        _ = bench.post(nil, "Owl")
        await bench.settle()
        #expect(bench.retract() == .accepted)
        await bench.settle()
        #expect(bench.server.requests("/redact/").isEmpty)
        bench.server.release(.ok(["event_id": "$late"]))
        await bench.settle()
        #expect(bench.server.requests("/redact/%24late/").count == 1)
    }

    @Test("BUG-04: the asker's own edit of a command is told, once; another's and an unknown message's is not")
    func edited() async {
        let bench = await Bench.asked()
        // No command, and none that was begun.
        await bench.sync([text("hello", id: "$0")])
        await bench.sync([edit("!gif hen", of: "$1", id: "$e1")])
        await bench.sync([edit("!gif hen", of: "$1", id: "$e1")])
        await bench.sync([
            edit("!gif fox", of: "$1", id: "$e2", from: "@bo:example.test"), edit("!gif fox", of: "$0", id: "$e3"),
            edit("!gif fox", of: "$1", id: "$e4", age: 3_600_000),
        ])
        #expect(bench.bot.changes.count == 1)
        let change = bench.bot.changes.first
        #expect(change?.kind == .edited && change?.answer == AnswerID("$1"))
        #expect(change?.message.id == "$1" && change?.message.text == "!gif hen" && change?.message.sender.key == ada)
        #expect(change?.message.address == bench.bot.messages[0].address)
        #expect(bench.bot.texts == ["!gif owl", "hello"])
    }

    @Test("BUG-04: a command that is taken back is told, by whom too; what is queued for it isn't sent")
    func redacted() async {
        let bench = await Bench.asked()
        await bench.sync([event("m.room.redaction", ["redacts": "$1"], id: "$r", from: "@bo:example.test")])
        #expect(bench.bot.changes.map(\.kind) == [.redacted])
        #expect(bench.bot.changes.first?.answer == AnswerID("$1"))
        #expect(bench.bot.changes.first?.message.sender.key == "@bo:example.test")
        #expect(bench.bot.changes.first?.message.sender.isOperator == false)
        #expect(bench.post(nil, "Owl") == .refused("the command was redacted"))
        await bench.sync([event("m.room.redaction", ["redacts": "$unknown"], id: "$r2")])
        #expect(bench.bot.changes.count == 1)
    }

    @Test(
        "Marks on an answer, with and without U+FE0F",
        arguments: [
            ("\u{1F501}", ChatChange.Reaction.next), ("\u{1F501}\u{FE0F}", .next), ("\u{2B05}", .previous),
            ("\u{2B05}\u{FE0F}", .previous), ("\u{274C}", .undo), ("\u{274C}\u{FE0F}", .undo), ("👍", nil), ("", nil),
            ("\u{FE0F}", nil), ("\u{1F501}\u{1F501}", nil),
        ] as [(String, ChatChange.Reaction?)])
    func reacted(key: String, meaning: ChatChange.Reaction?) async {
        let bench = await Bench.asked()
        _ = bench.post(nil, "Owl")
        await bench.settle()
        await bench.sync([mark(key, on: "$sent1", from: "@bo:example.test"), mark(key, on: "$other", id: "$m2")])
        #expect(bench.bot.changes.map(\.kind) == [meaning.map { .reacted($0) }].compactMap { $0 })
        guard let change = bench.bot.changes.first else { return }
        #expect(change.answer == AnswerID("$1") && change.message.id == "$m")
        #expect(change.message.sender.key == "@bo:example.test" && change.message.text.isEmpty)
    }

    @Test("After a restart answers are still known: marks, edits and redactions find them")
    func restart() async {
        let bench = Bench(position: "s0")
        bench.store.storedAnswers = [
            StoredAnswer(
                id: "$old", commandRoom: room1, room: room1, thread: "$root", asker: ada, event: "$answer",
                at: bench.clock.wall)
        ]
        bench.clock.advance(by: .minutes(3))
        bench.adapter.start()
        await bench.settle()
        await bench.sync([mark("❌", on: "$answer"), edit("!gif hen", of: "$old", id: "$e")])
        #expect(bench.bot.changes.map(\.kind) == [.reacted(.undo), .edited])
        #expect(bench.bot.changes[0].answerAge == .minutes(3))
        #expect(bench.bot.changes.last?.message.address == RoomAddress(room: room1, thread: "$root").text)
        // One mark acts once, also when the sync brings it again after a crash.
        let again = Bench(position: "s0", store: bench.store)
        again.adapter.start()
        await again.settle()
        await again.sync([mark("❌", on: "$answer")])
        #expect(again.bot.changes.isEmpty)
        // A moderator took the answer away: there is nothing to change any more.
        await again.advance(by: .seconds(1))
        await again.sync([event("m.room.redaction", ["redacts": "$answer"], id: "$r")])
        #expect(again.adapter.retract(AnswerID("$old"), for: bench.bot.changes[0].message) != .accepted)
    }

    @Test("Buttons are offered where the setting says so")
    func buttons() async {
        let bench = await Bench.asked(tokenSettings { $0.buttons = true })
        _ = bench.post(nil, "Owl")
        await bench.settle()
        let keys = bench.server.sent.compactMap { $0["m.relates_to"]?["key"]?.string }
        #expect(keys == ReactionMark.offered && keys.allSatisfy { ReactionMark.meaning(of: $0) != nil })
        #expect(bench.server.requests("/send/m.reaction/").count == 3)
    }

    @Test("BUG-04: a redaction or an edit from another room changes nothing here, before the answer and after it")
    func otherRoom() async {
        let bench = await Bench.asked()
        let redaction = event("m.room.redaction", ["redacts": "$1"], id: "$r", from: "@bo:example.test")
        await bench.sync([redaction, edit("!gif hen", of: "$1", id: "$e")], room: "!other:example.test")
        #expect(bench.bot.changes.isEmpty)
        #expect(bench.post(nil, "Owl") == .accepted)
        await bench.settle()
        await bench.sync([redaction], state: [], room: "!other:example.test")
        #expect(bench.bot.changes.isEmpty && bench.revise("Hen") == .accepted)
        // Nor does one that comes before the command.
        let early = event("m.room.redaction", ["redacts": "$2"], id: "$r2", from: "@bo:example.test")
        await bench.sync([early], state: [], room: "!other:example.test")
        await bench.sync([text("!gif fox", id: "$2")])
        #expect(bench.post(nil, "Fox") == .accepted)
    }

    @Test("BUG-04: an answer that timed out when its command is taken back is sent again, and then taken back")
    func redactedAfterTimeout() async {
        let bench = await Bench.asked()
        bench.server.next("/send/", .failure(.timedOut(host: "matrix.example.test")))
        _ = bench.post(nil, "Owl")
        await bench.settle()
        await bench.sync([event("m.room.redaction", ["redacts": "$1"], id: "$r")])
        #expect(bench.retract() == .accepted)
        await bench.advance(by: .seconds(2))
        #expect(bench.server.sentBodies == ["Owl", "Owl"])
        #expect(Set(bench.server.requests("/send/").map(\.url)).count == 1)
        #expect(bench.server.requests("/redact/%24sent1/").count == 1)
    }

    @Test("What a shut account throws away is settled: it holds back no position, and isn't taken for answered")
    func shutWhileSending() async {
        let bench = await Bench.asked()
        bench.server.next("/send/", .refusal(403, "M_USER_SUSPENDED"))
        _ = bench.post(nil, "Owl")
        bench.adapter.finished(bench.bot.messages[0])
        await bench.settle()
        #expect(bench.adapter.haltReason != nil && !bench.store.answered.contains("$1"))
        #expect(bench.adapter.book["$1"]?.queued == nil)
        bench.adapter.update(settings: tokenSettings(), admins: [ada], ignore: [], ageLimit: .minutes(2))
        await bench.settle()
        #expect(bench.revise("Hen") == .refused("that answer was never given"))
        await bench.sync([text("hello", id: "$9")])
        #expect(bench.store.positions[bot] == "s3" && !bench.store.answered.contains("$1"))
    }
}
