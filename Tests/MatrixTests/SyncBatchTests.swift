import HTTP
import Testing

@testable import Matrix

@Suite struct SyncBatchTests {
    @Test("Everything that is read is found among what isn't")
    func whole() throws {
        let batch = try SyncBatch.decode(json(wholeSync)).get()
        #expect(batch.next == "s72595_4483_1934")
        #expect(batch.ignored == ["@troll:example.test"])
        #expect(batch.left == ["!l1:example.test"])
        #expect(batch.invited.map(\.id) == ["!i1"])
        #expect(batch.invited[0].state[1].content.isDirect == true)

        let room = try #require(batch.joined.first)
        #expect(room.joinedCount == 3 && room.invitedCount == 1)
        #expect(room.state.map(\.type) == ["m.room.create", "m.room.power_levels"])
        #expect(room.state[1].content.levels == [ada: 100, "@op:example.test": 50])
        #expect(room.timeline.count == 2)
        let message = room.timeline[0]
        #expect(message.content.body == "!gif 😀 café" && message.age == 1234)
        #expect(message.content.relation == "m.thread" && message.content.relatedEvent == "$root")
        #expect(message.content.replyTo == "$before" && message.content.mentions == [bot])
        #expect(room.timeline[1].redacts == "$m0")
    }

    @Test("BUG-17: half a body is no answer, wherever it was cut")
    func cut() {
        let bytes = Array(wholeSync.utf8)
        for length in 0..<bytes.count - 1 where bytes[length...].contains(UInt8(ascii: "}")) {
            let result = SyncBatch.decode(HTTPResponse(status: 200, body: Array(bytes[..<length])))
            guard case .failure(.unusable) = result else {
                Issue.record("cut at \(length)")
                return
            }
        }
    }

    @Test(
        "BUG-17: what is no sync never counts as one",
        arguments: [
            "", "<html><body>502</body></html>", "{}", #"{"next_batch": ""}"#, #"{"next_batch": 7}"#, "[]",
            #"{"next_batch": "s1"} x"#, #"{"errcode": "M_UNKNOWN", "error": "?"}"#,
        ])
    func garbage(body: String) {
        if case .success = SyncBatch.decode(json(body)) { Issue.record("taken for a sync") }
    }

    @Test(
        "Content that people made up doesn't spoil the sync",
        arguments: [
            #""body": "\ud800 half a pair""#, #""users": {"@a:b": 1e999}"#, #""age": 123456789012345678901234567890"#,
            #""m.relates_to": "no object""#, #""m.mentions": {"user_ids": "no list"}"#,
            #""deep": "# + String(repeating: "[", count: 300) + String(repeating: "]", count: 300),
            #""long": "# + String(repeating: "9", count: 5000),
        ])
    func strange(member: String) throws {
        let body =
            #"{"next_batch": "s1", "rooms": {"join": {"!r": {"timeline": {"events": [{"type": "m.room.message", "#
            + #""sender": "@a:b", "event_id": "$1", "content": {"# + member + "}}]}}}}}"
        let batch = try SyncBatch.decode(json(body)).get()
        #expect(batch.joined.first?.timeline.count == 1)
    }

    @Test func request() {
        let server = Homeserver(baseURL: "https://matrix.example.test/", accessToken: "T0KEN")
        let first = SyncRequest(since: nil, wantsFullState: false, timelineLimit: 1).httpRequest(to: server)
        #expect(first.url.hasPrefix("https://matrix.example.test/_matrix/client/v3/sync?filter=%7B"))
        #expect(first.url.contains("limit%22%3A1") && first.url.hasSuffix("&timeout=0"))
        #expect(!first.url.contains("T0KEN"))
        #expect(first.headers.contains(HTTPHeader("Authorization", "Bearer T0KEN")))
        #expect(first.timeout >= .seconds(120))

        let next = SyncRequest(since: "s/1+2", wantsFullState: false, timelineLimit: 20).httpRequest(to: server)
        #expect(next.url.contains("&since=s%2F1%2B2&timeout=30000"))
        #expect(next.timeout > .seconds(40))
        let resumed = SyncRequest(since: "s1", wantsFullState: true, timelineLimit: 20).httpRequest(to: server)
        #expect(resumed.url.contains("full_state=true"))
        #expect("\(server)" == "https://matrix.example.test")
    }
}
