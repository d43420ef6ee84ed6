import Base
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

private func limited(_ timeline: [JSONValue]) -> JSONValue {
    let joined: JSONValue = [
        "state": ["events": [created]], "summary": ["m.joined_member_count": 5],
        "timeline": ["events": .array(timeline), "limited": true, "prev_batch": "t9"],
    ]
    return ["join": .object(JSONObject([JSONObject.Member(room1, joined)]))]
}

private func page(_ events: [JSONValue], end: String? = nil) -> FakeHomeserver.Answer {
    var body: JSONObject = ["chunk": .array(events)]
    if let end { body["end"] = .string(end) }
    return .ok(.object(body))
}

@Loop @Suite struct GapTests {
    @Test("What a limited timeline left out is fetched, and each event handed over once")
    func filled() async {
        let bench = await Bench.running()
        bench.server.next(
            "/messages", page([text("!gif two", id: "$2")], end: "t8"), page([text("!gif one", id: "$1")]))
        await bench.sync(rooms: limited([text("!gif three", id: "$3")]))
        #expect(bench.bot.texts == ["!gif one", "!gif two", "!gif three"])
        #expect(bench.server.requests("/messages").count == 2)
    }

    @Test("BUG-17: a page that can't be had is asked for a few times, then the rest goes on")
    func failing() async {
        let bench = await Bench.running()
        bench.server.next("/messages", .page(504, "<html>"), page([text("!gif one", id: "$1")]))
        await bench.sync(rooms: limited([text("!gif two", id: "$2")]))
        #expect(bench.bot.texts.isEmpty && bench.store.positions[bot] == "s1")
        await bench.advance(by: .seconds(2))
        #expect(bench.bot.texts == ["!gif one", "!gif two"])

        bench.server.next("/messages", times: 9, .failure(.timedOut(host: "x")))
        await bench.sync(rooms: limited([text("!gif three", id: "$3")]))
        for _ in 0..<4 { await bench.advance(by: .seconds(10)) }
        #expect(bench.bot.texts.last == "!gif three" && bench.server.requests("/messages").count == 5)
    }

    @Test("When the token is refused meanwhile, nothing of the batch is used")
    func refused() async {
        let bench = await Bench.running()
        bench.server.next("/messages", .refusal(401, "M_UNKNOWN_TOKEN"))
        await bench.sync(rooms: limited([text("!gif one", id: "$1")]))
        await bench.advance(by: .seconds(1))
        #expect(bench.bot.texts.isEmpty && bench.store.positions[bot] == "s1")
        #expect(bench.server.requests("/sync").last?.url.contains("since=s1&") == true)
    }

    @Test("Gaps of many rooms are filled side by side, and what takes too long holds the batch up no longer")
    func many() async {
        let bench = await Bench.running()
        bench.server.next("/messages", times: 3, .hang)
        let rooms = ["!a", "!b", "!c"]
        let joined: JSONValue = [
            "state": ["events": [created]], "summary": ["m.joined_member_count": 5],
            "timeline": ["events": [], "limited": true, "prev_batch": "t9"],
        ]
        await bench.sync(rooms: ["join": .object(JSONObject(rooms.map { JSONObject.Member($0, joined) }))])
        #expect(bench.server.requests("/messages").count == 3)
        bench.server.release(page([]))
        await bench.settle()
        #expect(bench.store.positions[bot] == "s2")

        bench.server.next("/messages", .hang)
        await bench.sync(rooms: limited([text("!gif owl", id: "$1")]))
        await bench.advance(by: .seconds(59))
        #expect(bench.bot.texts.isEmpty)
        await bench.advance(by: .seconds(1))
        #expect(bench.bot.texts == ["!gif owl"])
        #expect(bench.lines.lines.filter { $0.contains("missed in too many rooms") }.count == 1)
    }
}
