import HTTP
import Testing

@testable import Matrix

@Suite struct HostileNumberTests {
    @Test(
        "Counts of people at the ends of what fits are bounded, and can be added",
        arguments: [
            (Int64.max, 1, 1_000_001), (.max, .max, 2_000_000), (.min, .min, 0), (2, .min, 2), (.min, 3, 3),
        ] as [(Int64, Int64, Int)])
    func counts(joined: Int64, invited: Int64, people: Int) throws {
        let body = #"""
            {"next_batch": "s2", "rooms": {"join": {"\#(room1)": {"summary":
            {"m.joined_member_count": \#(joined), "m.invited_member_count": \#(invited)}}}}}
            """#
        var session = SyncSession(userID: bot, position: nil)
        _ = session.received(try SyncBatch.decode(json(body)).get())
        #expect(session.rooms[room1]?.peopleCount == people)
    }

    @Test("A token's life at the ends of what fits is no life", arguments: [Int64.min, -1, 0, .max])
    func lifetime(seconds: Int64) throws {
        let body = #"{"access_token": "at", "token_type": "Bearer", "expires_in": \#(seconds)}"#
        #expect(try Replies.oauthToken(json(body)).get().lifetime == nil)
    }
}
