import HTTP
import JSON
import Testing

@testable import Matrix

private func edit(
    _ body: String, of original: String = "$a", id: String = "$b", from sender: String = ada,
    new: JSONValue? = nil
) -> JSONValue {
    text(
        "* " + body, id: id, from: sender,
        more: [
            "m.new_content": new ?? ["msgtype": "m.text", "body": .string(body)],
            "m.relates_to": ["rel_type": "m.replace", "event_id": .string(original)],
        ])
}

private func mark(_ key: JSONValue, on event: String = "$answer", id: String = "$m", from sender: String = ada)
    -> JSONValue
{
    MatrixTests.event(
        "m.reaction", ["m.relates_to": ["rel_type": "m.annotation", "event_id": .string(event), "key": key]], id: id,
        from: sender)
}

/// Past its first sync, in `room1`.
private func running() -> SyncSession {
    var session = SyncSession(userID: bot, position: nil)
    _ = session.received(sync(next: "s1"))
    return session
}

@Suite struct ChangeTests {
    @Test("BUG-04: an edit is told with the new words and the old id, once however often it comes")
    func edits() throws {
        var session = running()
        let first = session.received(
            sync([
                edit(
                    "!gif owl",
                    new: [
                        "msgtype": "m.text", "body": "!gif owl", "format": "org.matrix.custom.html",
                        "formatted_body": "<b>!gif owl</b>", "m.mentions": ["user_ids": [.string(bot)]],
                    ])
            ]))
        guard case .edited(let message) = try #require(first.first) else { return #expect(Bool(false)) }
        #expect(message.id == "$a" && message.body == "!gif owl" && message.formattedBody == "<b>!gif owl</b>")
        #expect(message.mentions == [bot] && message.sender == ada && message.level == 100 && !message.isReply)
        #expect(first.count == 1)
        #expect(session.received(sync([edit("!gif owl")])).isEmpty)
    }

    @Test(
        "What is no edit of a text",
        arguments: [
            edit("!gif owl", from: bot), edit("x", new: ["msgtype": "m.notice", "body": "!gif owl"]),
            edit("x", new: ["msgtype": "m.text"]), edit("x", new: "!gif owl"),
            text("* x", more: ["m.relates_to": ["rel_type": "m.replace", "event_id": "$a"]]),
            text(
                "* x",
                more: [
                    "m.new_content": ["msgtype": "m.text", "body": "x"], "m.relates_to": ["rel_type": "m.replace"],
                ]),
        ])
    func noEdit(event: JSONValue) {
        var session = running()
        #expect(session.received(sync([event])).isEmpty)
    }

    @Test func reactions() {
        var session = running()
        guard case .reacted(let reaction)? = session.received(sync([mark("🔁")])).first else {
            return #expect(Bool(false))
        }
        #expect(reaction.event == "$answer" && reaction.mark == "🔁" && reaction.sender == ada && reaction.id == "$m")
        #expect(reaction.room == room1 && reaction.level == 100)
        #expect(session.received(sync([mark("🔁")])).isEmpty)
        for odd in [mark(7, id: "$m2"), mark("🔁", id: "$m3", from: bot)] {
            #expect(session.received(sync([odd])).isEmpty)
        }
    }

    @Test("BUG-15: a first sync tells of no change, and an ignored person's are none")
    func untold() {
        var session = SyncSession(userID: bot, position: nil)
        #expect(session.received(sync([edit("!gif owl"), mark("❌")])) == [.joined(room: room1)])
        var list = sync([edit("!gif owl", id: "$new"), mark("❌", id: "$new2")])
        list.ignored = [ada]
        #expect(session.received(list).isEmpty)
    }

    @Test("A person who left, and a talk of two that is none any more, are told; so is a timeline with a hole")
    func parted() {
        var session = running()
        for membership in ["leave", "ban"] {
            let gone = event("m.room.member", ["membership": .string(membership)], id: "$l", key: "@bo:example.test")
            #expect(session.received(sync([gone])) == [.parted(user: "@bo:example.test", room: room1)])
        }
        #expect(session.received(sync([event("m.room.member", ["membership": "join"], id: "$j", key: ada)])).isEmpty)
        #expect(session.received(sync(people: 2)).isEmpty)
        #expect(session.received(sync(people: 3)) == [.crowded(room: room1)])
        #expect(session.received(sync(people: 4)).isEmpty)
        _ = session.received(sync(people: 2))
        var hole = sync(people: 2)
        hole.joined[0].isLimited = true
        #expect(session.received(hole) == [.crowded(room: room1)])
    }

    @Test func whoTookItBack() {
        var session = running()
        let redaction = event("m.room.redaction", ["redacts": "$1"], id: "$2", from: "@bo:example.test")
        guard case .redacted(let told)? = session.received(sync([redaction])).first else {
            return #expect(Bool(false))
        }
        #expect(told.event == "$1" && told.sender == "@bo:example.test" && told.level == 0 && told.room == room1)
    }

    @Test func reactionsAreAskedFor() {
        #expect(
            SyncSession(userID: bot, position: nil).request.httpRequest(to: Homeserver(baseURL: "https://a")).url
                .contains("m.reaction"))
    }
}
