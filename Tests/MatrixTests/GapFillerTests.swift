import HTTP
import JSON
import Testing

@testable import Matrix

private func limited(_ timeline: [JSONValue], room: String = room1) -> SyncBatch {
    let joined: JSONValue = [
        "state": ["events": [created]],
        "timeline": ["events": .array(timeline), "limited": true, "prev_batch": "t9"],
    ]
    return batch(["join": .object(JSONObject([JSONObject.Member(room, joined)]))])
}

private func page(_ events: [JSONValue], end: String? = "t8") -> MessagePage {
    var body: JSONObject = ["chunk": .array(events), "start": "t9"]
    if let end { body["end"] = .string(end) }
    let response = HTTPResponse(status: 200, body: (try? JSONWriter.canonical(.object(body))) ?? [])
    guard case .success(let page) = MessagePage.decode(response) else { preconditionFailure("a fixture is wrong") }
    return page
}

private let server = Homeserver(baseURL: "https://matrix.example.test", accessToken: "T")

private func running() -> SyncSession {
    var session = SyncSession(userID: bot, position: nil)
    _ = session.received(sync(next: "s1"))
    return session
}

@Suite struct GapFillerTests {
    @Test("A gap is asked for backwards from the timeline to the position, and handed over in order, once")
    func filled() throws {
        var session = running()
        var batch = limited([text("!gif three", id: "$3")])
        var gap = try #require(session.gaps(in: batch, longestAge: .seconds(60)).first)
        let url = try #require(gap.request(to: server)).url
        #expect(url.contains("/v3/rooms/%21r1%3Aexample.test/messages?dir=b&from=t9&to=s1&limit=100&filter="))
        #expect(url.contains("lazy_load_members"))
        gap.received(page([text("!gif two", id: "$2")]))
        #expect(gap.request(to: server)?.url.contains("from=t8&to=s1") == true)
        gap.received(page([text("!gif one", id: "$1")], end: nil))
        #expect(gap.request(to: server) == nil && !gap.isCutShort)
        batch.fill(gap)
        #expect(session.received(batch).bodies == ["!gif one", "!gif two", "!gif three"])
        #expect(session.received(batch).bodies.isEmpty)
    }

    @Test("State inside a gap is old: what counts is in the batch already. A redaction there counts")
    func state() throws {
        var session = running()
        var batch = limited([text("x", id: "$9")])
        var gap = try #require(session.gaps(in: batch, longestAge: .seconds(60)).first)
        gap.received(
            page(
                [
                    event("m.room.redaction", ["redacts": "$1"], id: "$r"), text("!gif one", id: "$1"),
                    event("m.room.power_levels", ["events_default": 90], id: "$p", key: ""),
                    event("m.room.tombstone", ["replacement_room": "!r2"], id: "$t", key: ""),
                ], end: nil))
        batch.fill(gap)
        #expect(session.received(batch).bodies == ["x"])
        #expect(session.rooms[room1]?.maySpeak(bot) == true && session.rooms[room1]?.replacement == nil)
    }

    @Test("It ends where messages are too old, and where the account came in")
    func ends() throws {
        let session = running()
        let gap = try #require(session.gaps(in: limited([text("x", id: "$9")]), longestAge: .seconds(60)).first)
        var old = gap
        var ancient = MatrixEvent()
        ancient.age = 61_000
        var mixed = MessagePage()
        mixed.events = [MatrixEvent(), ancient, MatrixEvent()]
        mixed.end = "t8"
        old.received(mixed)
        #expect(old.events.count == 1 && old.request(to: server) == nil)

        var joined = gap
        let join = event("m.room.member", ["membership": "join"], id: "$j", from: bot, key: bot)
        joined.received(page([text("after", id: "$2"), join, text("before", id: "$1")]))
        #expect(joined.events.map(\.id) == ["$2"] && joined.request(to: server) == nil)
    }

    @Test("It ends after so many pages")
    func bound() throws {
        var gap = try #require(running().gaps(in: limited([]), longestAge: .seconds(60)).first)
        var full = MessagePage()
        full.events = Array(repeating: MatrixEvent(), count: GapFiller.pageSize)
        full.end = "t"
        var pages = 0
        while gap.request(to: server) != nil {
            gap.received(full)
            pages += 1
        }
        #expect(pages == GapFiller.maximumPages && gap.isCutShort)
    }

    @Test("No gap: not limited, a first sync, an old timeline, a room just entered, too many rooms at once")
    func none() {
        let session = running()
        #expect(session.gaps(in: sync([text("x")]), longestAge: .seconds(60)).isEmpty)
        #expect(session.gaps(in: limited([text("x")]), longestAge: .zero).isEmpty)
        let fresh = SyncSession(userID: bot, position: nil)
        #expect(fresh.gaps(in: limited([text("x")]), longestAge: .seconds(60)).isEmpty)
        let join = event("m.room.member", ["membership": "join"], id: "$j", from: bot, key: bot)
        #expect(session.gaps(in: limited([join, text("x")]), longestAge: .seconds(60)).isEmpty)
        var many = limited([])
        many.joined = Array(repeating: many.joined[0], count: SyncSession.maximumGaps + 1)
        #expect(session.gaps(in: many, longestAge: .seconds(60)).isEmpty)
    }

    @Test("Half a page is none", arguments: ["", "{", "{}", #"{"chunk": ["#, "<html>", #"{"end": "t"}"#])
    func garbage(body: String) {
        if case .success = MessagePage.decode(json(body)) { Issue.record("taken for a page") }
    }
}
