import JSON
import Testing

@testable import Matrix

/// A session past its first sync, in `room1`.
private func running() -> SyncSession {
    var session = SyncSession(userID: bot, position: nil)
    _ = session.received(sync(next: "s1"))
    return session
}

@Suite struct SyncSessionTests {
    @Test("BUG-15: a first sync answers nothing, asks for little, and what it showed is not answered later either")
    func first() {
        var session = SyncSession(userID: bot, position: nil)
        #expect(session.request == SyncRequest(since: nil, wantsFullState: false, timelineLimit: 1))
        #expect(session.received(sync([text("!gif owl", id: "$old")], next: "s1")).bodies.isEmpty)
        #expect(session.request == SyncRequest(since: "s1", wantsFullState: false, timelineLimit: 20))
        let effects = session.received(sync([text("!gif owl", id: "$old"), text("!gif hen", id: "$new")]))
        #expect(effects.bodies == ["!gif hen"])
    }

    @Test("BUG-15: a resumed sync hands over what came meanwhile, once")
    func resumed() {
        var session = SyncSession(userID: bot, position: "s0")
        #expect(session.request == SyncRequest(since: "s0", wantsFullState: true, timelineLimit: 20))
        #expect(session.received(sync([text("!gif owl", id: "$1")])).bodies == ["!gif owl"])
        #expect(!session.request.wantsFullState)
        #expect(session.received(sync([text("!gif owl", id: "$1")], next: "s3")).bodies.isEmpty)
        #expect(session.position == "s3")
    }

    @Test("BUG-15: after a refused position nothing old is answered")
    func refused() {
        var session = SyncSession(userID: bot, position: "garbage")
        session.positionRefused()
        #expect(session.request.since == nil)
        #expect(session.received(sync([text("!gif owl", id: "$1")])).bodies.isEmpty)
        #expect(session.received(sync([text("!gif hen", id: "$2")])).bodies == ["!gif hen"])
    }

    @Test(
        "BUG-04, BUG-13: what is no request of a person",
        arguments: [
            text("!gif owl", from: bot),
            event("m.room.message", ["msgtype": "m.notice", "body": "!gif owl"]),
            event("m.room.message", ["msgtype": "m.emote", "body": "!gif owl"]),
            event("m.room.message", ["msgtype": "m.image", "body": "!gif owl"]),
            event("m.room.message", [:]),
            event("m.room.message", ["msgtype": "m.text", "body": 7]),
            event("m.room.message", ["msgtype": "m.text", "body": "!gif owl"], key: ""),
            event("m.sticker", ["body": "!gif owl"]),
            text(
                "* !gif owl",
                more: [
                    "m.new_content": ["msgtype": "m.text", "body": "!gif owl"],
                    "m.relates_to": ["rel_type": "m.replace", "event_id": "$a"],
                ]),
        ])
    func noRequest(event: JSONValue) {
        var session = running()
        #expect(session.received(sync([event])).messages.isEmpty)
    }

    @Test(
        "BUG-04: a command redacted in the same batch, before or after, is not handed over",
        arguments: [
            ["redacts": "$1"] as JSONValue, [:],
        ])
    func redacted(content: JSONValue) {
        var session = running()
        let redaction = event("m.room.redaction", content, id: "$2", redacts: content == [:] ? "$1" : nil)
        let effects = session.received(sync([text("!gif owl", id: "$1"), redaction]))
        #expect(effects.count == 1 && effects.redacted == ["$1"])
    }

    @Test func ignoredPeople() {
        var session = running()
        var withList = sync([text("!gif owl", id: "$1")])
        withList.ignored = [ada]
        #expect(session.received(withList).bodies.isEmpty)
        #expect(session.received(sync([text("!gif owl", id: "$2")], next: "s3")).bodies.isEmpty)
    }

    @Test("Of a room just entered only what came after the join counts")
    func history() {
        var session = running()
        let join = event("m.room.member", ["membership": "join"], id: "$j", from: bot, key: bot)
        let effects = session.received(
            sync([text("!gif old", id: "$1"), join, text("!gif new", id: "$2")], room: "!r2"))
        #expect(effects.bodies == ["!gif new"])
        // A change of the name is a member event too.
        let renamed = event(
            "m.room.member", ["membership": "join", "displayname": "GIF Bot"], id: "$n", from: bot, key: bot,
            previous: ["membership": "join"])
        let later = session.received(sync([text("!gif owl", id: "$3"), renamed, text("x", id: "$4")], room: "!r2"))
        #expect(later.bodies == ["!gif owl", "x"])
        #expect(later.messages.last?.ownName == "GIF Bot")
    }

    @Test("In an encrypted room nothing is heard, and that is told once")
    func encrypted() {
        var session = running()
        let on = event("m.room.encryption", ["algorithm": "m.megolm.v1.aes-sha2"], id: "$on", key: "")
        let effects = session.received(sync([text("!gif a", id: "$1"), on, text("!gif b", id: "$2")]))
        #expect(effects.bodies == ["!gif a"])
        #expect(effects.contains(.encrypted(room: room1)))
        #expect(session.rooms[room1]?.isPlain == false)
        #expect(session.received(sync([on, text("!gif c", id: "$3")])).isEmpty)
        // Left and entered again, with the state held back: still encrypted.
        _ = session.received(batch(["leave": ["!r1:example.test": [:]]]))
        #expect(session.received(sync([text("!gif d", id: "$4")])).bodies.isEmpty)
    }

    @Test("A room whose state was never seen might be encrypted")
    func unknownState() {
        var session = running()
        #expect(session.received(sync([text("!gif a", id: "$1")], state: [], room: "!r9")).bodies.isEmpty)
    }

    @Test("BUG-18: a tombstone is told once, live or already there")
    func tombstone() {
        let stone = event("m.room.tombstone", ["replacement_room": "!r2:example.test"], id: "$t", key: "")
        let upgrade = {
            SyncEffect.upgraded(Upgrade(room: room1, replacement: "!r2:example.test", sender: ada, isNews: $0))
        }
        var session = running()
        #expect(session.received(sync([stone])) == [upgrade(true)])
        #expect(session.received(sync([stone])).isEmpty)
        var fresh = SyncSession(userID: bot, position: nil)
        #expect(fresh.received(sync(state: [created, stone])).contains(upgrade(true)))
        var resumed = SyncSession(userID: bot, position: "s0")
        #expect(resumed.received(sync(state: [created, stone])).contains(upgrade(false)))
    }

    @Test("BUG-18: invites, and leaving")
    func invites() {
        var session = running()
        let state: JSONValue = [
            event("m.room.create", ["type": "m.space"], key: ""),
            event("m.room.member", ["membership": "invite", "is_direct": true], key: bot),
        ]
        let invited = session.received(batch(["invite": ["!i": ["invite_state": ["events": state]]]]))
        #expect(invited == [.invited(Invite(room: "!i", inviter: ada, isDirect: true, isSpace: true))])
        #expect(session.received(batch(["leave": ["!i": [:]]])) == [.left(room: "!i")])
    }

    @Test("Power levels in old and new rooms")
    func levels() {
        var session = running()
        #expect(session.rooms[room1]?.level(of: ada) == 100)
        let levels = event(
            "m.room.power_levels",
            ["users": ["@op:x": 50], "users_default": 10, "events_default": 20, "events": ["m.room.name": 90]], key: "")
        _ = session.received(sync([levels]))
        #expect(session.rooms[room1]?.level(of: ada) == 10)
        #expect(session.rooms[room1]?.level(of: "@op:x") == 50)
        #expect(session.rooms[room1]?.maySpeak(bot) == false)
        let v12 = event("m.room.create", ["room_version": "12", "additional_creators": ["@bo:x"]], key: "")
        _ = session.received(sync([levels], state: [v12], room: "!new"))
        #expect(session.rooms["!new"]?.level(of: "@bo:x") == Room.creatorLevel)
        #expect(session.rooms["!new"]?.level(of: ada) == Room.creatorLevel)
    }

    @Test("Two people are a direct chat; after a restart the count is asked for")
    func direct() {
        var session = SyncSession(userID: bot, position: "s0")
        let first = sync([text("gif owl", id: "$1")], people: nil)
        #expect(session.roomsOfUnknownSize(in: first) == [room1])
        session.learned(joinedCount: 2, in: room1)
        #expect(session.received(first).messages.map(\.isDirect) == [true])
        let second = sync([text("gif owl", id: "$2")], people: nil)
        #expect(session.roomsOfUnknownSize(in: second).isEmpty)
        #expect(session.received(second).messages.map(\.isDirect) == [true])
        #expect(session.received(sync([text("gif", id: "$3")], people: 3)).messages.map(\.isDirect) == [false])
    }

    @Test("Who is invited counts too, in a room that only the next batch brings")
    func directWithInvited() {
        var session = SyncSession(userID: bot, position: "s0")
        session.learned(joinedCount: 2, invitedCount: 1, in: room1)
        let first = sync([text("gif owl", id: "$1")], people: nil)
        #expect(session.received(first).messages.map(\.isDirect) == [false])
    }

    @Test("Somebody comes, and the server leaves the count out: it isn't known any more, and is asked for")
    func uncounted() {
        let session = { () -> SyncSession in
            var session = running()
            _ = session.received(sync(people: 2))
            return session
        }
        let bo = "@bo:example.test"
        for membership in ["join", "invite"] {
            var session = session()
            let comes = event("m.room.member", ["membership": .string(membership)], id: "$j", key: bo)
            #expect(session.received(sync([comes], people: nil)) == [.crowded(room: room1)])
            #expect(session.rooms[room1]?.isOfTwo == false)
            let words = sync([text("gif owl", id: "$1")], people: nil)
            #expect(session.roomsOfUnknownSize(in: words) == [room1])
            #expect(session.received(words).messages.map(\.isDirect) == [false])
        }
        var hole = sync([text("gif owl", id: "$1")], people: nil)
        hole.joined[0].isLimited = true
        #expect(session().roomsOfUnknownSize(in: hole) == [room1])
        // Who is there already has another name now, or is told of for the first time.
        var same = session()
        let renamed = event(
            "m.room.member", ["membership": "join", "displayname": "Ada"], id: "$n", key: ada,
            previous: ["membership": "join"])
        let lazy = event("m.room.member", ["membership": "join"], id: "$l", key: ada)
        #expect(same.received(sync([renamed], state: [lazy], people: nil)).isEmpty)
        #expect(same.rooms[room1]?.isOfTwo == true)
        // Of many it is all the same.
        _ = same.received(sync(people: 3))
        _ = same.received(sync([event("m.room.member", ["membership": "join"], id: "$j", key: bo)], people: nil))
        #expect(same.rooms[room1]?.peopleCount == 3)
    }

    @Test("BUG-15: after a refused position nobody knows how many are in a room, until it is told or asked")
    func refusedCount() {
        var session = running()
        _ = session.received(sync(people: 2))
        session.positionRefused()
        _ = session.received(sync(people: nil))
        #expect(session.rooms[room1]?.isOfTwo == false)
        #expect(session.roomsOfUnknownSize(in: sync([text("gif owl", id: "$1")], people: nil)) == [room1])
    }

    @Test("In a thread the relation that serves clients without threads makes no reply; a real one does")
    func threadFallback() {
        var session = running()
        for (number, isFallback) in [true, false].enumerated() {
            let relation: JSONValue = [
                "rel_type": "m.thread", "event_id": "$root", "is_falling_back": .bool(isFallback),
                "m.in_reply_to": ["event_id": "$before"],
            ]
            let batch = sync([text("gif owl", id: "$f\(number)", more: ["m.relates_to": relation])])
            #expect(session.received(batch).messages.map(\.isReply) == [!isFallback])
        }
    }

    @Test("An answer that is too long is asked for in smaller portions")
    func tooLong() {
        var session = running()
        session.answerWasTooLong()
        #expect(session.request.timelineLimit == 5)
        session.answerWasTooLong()
        session.answerWasTooLong()
        #expect(session.request.timelineLimit == 1)
        _ = session.received(sync())
        #expect(session.request.timelineLimit == 20)
    }
}
