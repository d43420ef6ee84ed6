import Base
import Chat
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

private func invite(_ room: String = "!i", by inviter: String = ada, type: String? = nil) -> JSONValue {
    var create: JSONObject = [:]
    if let type { create["type"] = .string(type) }
    let state: JSONValue = [
        event("m.room.create", .object(create), from: inviter, key: ""),
        event("m.room.member", ["membership": "invite"], from: inviter, key: bot),
    ]
    return ["invite": .object(JSONObject([JSONObject.Member(room, ["invite_state": ["events": state]])]))]
}

private func continued(_ room: String) -> JSONValue {
    event("m.room.create", ["room_version": "10", "predecessor": ["room_id": .string(room)]], id: "$c2", key: "")
}

private let stranger = "@bo:elsewhere.test"

@Loop @Suite struct RoomTests {
    @Test(
        "BUG-18: who may invite",
        arguments: [
            (InvitePolicy.admins, ada, true), (.admins, stranger, false), (.anyone, stranger, true),
            (.never, ada, false),
            (.servers(["elsewhere.test"]), stranger, true), (.servers(["else.test"]), stranger, false),
            (.servers([]), ada, true),
        ])
    func policy(policy: InvitePolicy, inviter: String, isAccepted: Bool) async {
        let bench = await Bench.running(tokenSettings { $0.invites = policy })
        await bench.sync(rooms: invite(by: inviter))
        #expect(bench.server.requests("/join/%21i").count == (isAccepted ? 1 : 0))
    }

    @Test("Spaces and invitations of ignored people are left; a configured room is entered whoever invites")
    func special() async {
        let bench = await Bench.running(
            tokenSettings { $0.rooms = ["!mine:example.test"] }, ignore: ["@troll:example.test"])
        let joins = bench.server.requests("/join/").count
        await bench.sync(rooms: invite(type: "m.space"))
        await bench.sync(rooms: invite(by: "@troll:example.test"))
        #expect(bench.server.requests("/join/").count == joins)
        await bench.sync(rooms: invite("!mine:example.test", by: stranger))
        #expect(bench.server.requests("/join/").count == joins + 1)
        #expect(bench.server.requests("/join/").last?.url.contains("via=elsewhere.test") == true)
    }

    @Test("BUG-18: a join that fails is tried over minutes")
    func retried() async {
        let bench = await Bench.running()
        bench.server.next("/join/", times: 3, .refusal(403, "M_FORBIDDEN"))
        await bench.sync(rooms: invite())
        await bench.advance(by: .seconds(4))
        #expect(bench.server.requests("/join/").count == 1)
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/join/").count == 2)
        await bench.advance(by: .seconds(10))
        #expect(bench.server.requests("/join/").count == 3)
        await bench.advance(by: .seconds(20))
        #expect(bench.server.requests("/join/").count == 4)
        await bench.advance(by: .hours(1))
        #expect(bench.server.requests("/join/").count == 4)
    }

    @Test("Invitations that can't be followed, however many, keep none away that can")
    func spam() async {
        let bench = await Bench.running(tokenSettings { $0.invites = .anyone })
        bench.server.next("/join/%21spam", times: 1000, .refusal(403, "M_FORBIDDEN"))
        for number in 0..<RoomJoiner.capacity + 10 { await bench.sync(rooms: invite("!spam\(number)", by: stranger)) }
        #expect(bench.server.requests("/join/%21spam").count == RoomJoiner.capacity + 10)
        await bench.sync(rooms: invite("!good"))
        #expect(bench.server.requests("/join/%21good").count == 1)
        // Those that were given up aren't tried again.
        await bench.advance(by: .seconds(5))
        #expect(bench.server.requests("/join/%21spam9?").count == 1)
        #expect(bench.server.requests("/join/%21spam59?").count == 2)
    }

    @Test("BUG-18: a join that never works is dropped, and the sync goes on")
    func dropped() async {
        let bench = await Bench.running()
        bench.server.next("/join/", times: 1000, .refusal(404, "M_NOT_FOUND"))
        await bench.sync(rooms: invite())
        for _ in 0..<100 { await bench.advance(by: .seconds(30)) }
        #expect((5...15).contains(bench.server.requests("/join/").count))
        #expect(bench.lines.lines.filter { $0.contains("can't enter") }.count == 1)
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(bench.bot.texts == ["!gif owl"])
    }

    @Test("BUG-18: a withdrawn invite ends the tries")
    func withdrawn() async {
        let bench = await Bench.running()
        bench.server.next("/join/", times: 1000, .refusal(403, "M_FORBIDDEN"))
        await bench.sync(rooms: invite())
        await bench.sync(rooms: ["leave": ["!i": [:]]])
        await bench.advance(by: .hours(1))
        #expect(bench.server.requests("/join/").count == 1)
        #expect(bench.adapter.haltReason == nil)
    }

    @Test("BUG-16: a limited join waits as told")
    func limited() async {
        let bench = await Bench.running()
        bench.server.next("/join/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "30"))
        await bench.sync(rooms: invite())
        await bench.advance(by: .seconds(29))
        #expect(bench.server.requests("/join/").count == 1)
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/join/").count == 2)
    }

    @Test("BUG-18: after a removal nothing more is sent there")
    func removed() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        _ = bench.answer("Owl", to: 0)
        _ = bench.answer("Hen", to: 1)
        await bench.settle()
        await bench.sync(rooms: ["leave": ["!r1:example.test": [:]]])
        await bench.advance(by: .minutes(2))
        #expect(bench.server.sentBodies == ["Owl"])
        #expect(bench.answer("Owl", to: 0) == .refused("not in the room"))
    }

    @Test("BUG-18: a tombstone is followed once, and the room keeps its name in the settings")
    func upgraded() async {
        let bench = await Bench.running(tokenSettings { $0.rooms = [room1] })
        let stone = event("m.room.tombstone", ["replacement_room": "!r2"], id: "$t", key: "")
        await bench.sync([stone])
        await bench.sync([stone])
        #expect(
            bench.server.requests("/join/").map(\.url) == [
                "https://matrix.example.test/_matrix/client/v3/join/%21r2?via=example.test&server_name=example.test"
            ])
        await bench.sync([text("!gif owl", id: "$1")], state: [continued(room1)], room: "!r2")
        #expect(bench.bot.messages.map(\.conversation.name) == [room1])
        #expect(bench.server.requests("/leave").map { $0.url.contains("%21r1") } == [true])
        await bench.sync(rooms: ["leave": ["!r1:example.test": [:]]])
        #expect(bench.server.requests("/forget").map { $0.url.contains("%21r1") } == [true])

        // After a restart the old room is gone, and its name is still there.
        let again = Bench(tokenSettings { $0.rooms = [room1] }, position: "s0")
        again.store.upgrades = bench.store.upgrades
        again.adapter.start()
        await again.settle()
        await again.sync([text("!gif owl", id: "$2")], state: [continued(room1)], room: "!r2")
        #expect(again.bot.messages.map(\.conversation.name) == [room1] && again.server.requests("/join/").isEmpty)
    }

    @Test("A room that doesn't say itself that it continues another gets none of its settings")
    func falseUpgrade() async {
        let bench = await Bench.running(tokenSettings { $0.rooms = [room1] })
        await bench.sync([event("m.room.tombstone", ["replacement_room": "!r2"], id: "$t", key: "")])
        await bench.sync([text("!gif owl", id: "$1")], room: "!r2")
        #expect(bench.bot.messages.map(\.conversation.name) == ["!r2"])
        #expect(bench.server.requests("/leave").isEmpty)
        // Nor does a room become another's continuation because that one says so.
        await bench.sync([event("m.room.tombstone", ["replacement_room": "!r2"], id: "$t", key: "")], room: "!evil")
        await bench.sync([text("!gif owl", id: "$2")], room: "!r2")
        #expect(bench.bot.messages.map(\.conversation.name) == ["!r2", "!r2"])
    }

    @Test("Where everybody has gone the bot goes too, but not from a room of the config, or one with somebody invited")
    func alone() async {
        let bench = await Bench.running(tokenSettings { $0.rooms = ["!mine"] })
        await bench.sync(room: "!mine", people: 1)
        await bench.sync(room: "!other", people: 2)
        #expect(bench.server.requests("/leave").isEmpty)
        bench.server.next("/leave", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "7"))
        await bench.sync(room: "!other", people: 1)
        await bench.sync(room: "!other", people: 1)
        await bench.advance(by: .seconds(7))
        #expect(bench.server.requests("/rooms/%21other/leave").count == 2)
        await bench.sync(rooms: ["leave": ["!other": [:]]])
        #expect(bench.server.requests("/rooms/%21other/forget").count == 1)
        #expect(bench.server.requests("/rooms/%21mine/leave").isEmpty)
    }

    @Test("A space is left again when it turns out to be one")
    func space() async {
        let bench = await Bench.running()
        let state = [event("m.room.create", ["type": "m.space"], id: "$c", key: "")]
        await bench.sync(state: state, room: "!s")
        await bench.sync(room: "!s")
        #expect(bench.server.requests("/rooms/%21s/leave").count == 1)
    }

    @Test("Where the bot may not speak, by levels or among creators of version 12, nothing is handed over")
    func readOnly() async {
        let bench = await Bench.running()
        let levels = event("m.room.power_levels", ["events": ["m.room.message": 50], "users": [:]], id: "$p", key: "")
        await bench.sync([levels, text("!gif owl", id: "$1")])
        #expect(bench.bot.texts.isEmpty)
        let raised = event(
            "m.room.power_levels", ["events": ["m.room.message": 50], "users": .object([bot: 50])], id: "$p2", key: "")
        await bench.sync([raised, text("!gif hen", id: "$2")])
        #expect(bench.bot.texts == ["!gif hen"])
        let v12 = event(
            "m.room.create", ["room_version": "12", "additional_creators": [.string(bot)]], id: "$c", key: "")
        await bench.sync([text("!gif cat", id: "$3")], state: [v12, levels], room: "!v12")
        #expect(bench.bot.texts == ["!gif hen", "!gif cat"])
        #expect(bench.bot.messages.last?.sender.isOperator == true)
    }

    @Test("An alias that moves takes its settings along; a room that threw the bot out isn't entered by itself")
    func tended() async {
        let bench = Bench(tokenSettings { $0.rooms = ["#cats:example.test", "!other"] })
        bench.server.next("/directory/", .ok(["room_id": .string(room1)]), .ok(["room_id": "!moved"]))
        bench.adapter.start()
        await bench.settle()
        await bench.sync()
        await bench.sync(room: "!other")
        await bench.sync(rooms: ["leave": ["!other": [:]]])
        #expect(bench.server.requests("/join/").map { $0.url.contains("%21other") } == [true])
        await bench.advance(by: .hours(1))
        #expect(bench.server.requests("/directory/").count == 2)
        #expect(bench.server.requests("/join/").last?.url.contains("%21moved") == true)
        #expect(bench.server.requests("/join/").count == 2)
        await bench.sync([text("!gif owl", id: "$1")], room: "!moved")
        await bench.sync([text("!gif owl", id: "$2")])
        #expect(bench.bot.messages.map(\.conversation.name) == ["#cats:example.test", room1])
    }

    @Test("BUG-18: the new room is entered when the invitation to it comes, whoever sends it")
    func invitedToReplacement() async {
        let bench = await Bench.running(tokenSettings { $0.invites = .never })
        bench.server.next("/join/", .refusal(403, "M_FORBIDDEN"))
        await bench.sync([event("m.room.tombstone", ["replacement_room": "!r2"], id: "$t", key: "")])
        #expect(bench.server.requests("/join/").count == 1)
        await bench.sync(rooms: invite("!r2", by: stranger))
        #expect(bench.server.requests("/join/").count == 2)
    }

    @Test("BUG-18: a tombstone that is there at the start is followed, but not into a room that threw the bot out")
    func upgradedBefore() async {
        for (membership, isFollowed) in [("leave", false), ("ban", false), ("invite", true)] {
            let bench = Bench(tokenSettings { $0.rooms = [room1] }, position: "s0")
            bench.server.next("/state/m.room.member/", .ok(["membership": .string(membership)]))
            bench.adapter.start()
            await bench.settle()
            let stone = event("m.room.tombstone", ["replacement_room": "!r2"], id: "$t", key: "")
            await bench.sync(state: [created, stone])
            #expect(bench.server.requests("/join/%21r2").count == (isFollowed ? 1 : 0))
        }
    }

    @Test("Configured rooms are entered, by alias too, and known by the name in the config")
    func configured() async {
        let bench = Bench(tokenSettings { $0.rooms = ["#cats:example.test", "!other", "#gone:example.test"] })
        bench.server.next(
            "/directory/", .ok(["room_id": .string(room1)]), .refusal(404, "M_NOT_FOUND"))
        bench.adapter.start()
        await bench.settle()
        await bench.sync()
        #expect(
            bench.server.requests("/join/").map { String($0.url.split(separator: "/").last ?? "") } == [
                "%21other", "%23gone%3Aexample.test",
            ])
        await bench.advance(by: .seconds(1))
        await bench.sync([text("!gif owl", id: "$1")])
        await bench.sync([text("!gif owl", id: "$2")], room: "!joined:example.test")
        #expect(bench.bot.messages.map(\.conversation.name) == ["#cats:example.test", "#gone:example.test"])
    }

    @Test("New settings change what hangs on them without a new session")
    func reload() async {
        let bench = await Bench.running()
        let syncs = bench.server.requests("/sync").count
        bench.adapter.update(
            settings: tokenSettings { $0.rooms = ["!new"] }, admins: [], ignore: ["@bo:x"], ageLimit: .minutes(1))
        await bench.settle()
        #expect(bench.server.requests("/sync").count == syncs && bench.server.requests("/join/%21new").count == 1)
        await bench.sync([
            text("!gif a", id: "$1", age: 90_000), text("!gif b", id: "$2", from: "@bo:x"), text("!gif c", id: "$3"),
        ])
        #expect(bench.bot.texts == ["!gif c"] && bench.bot.messages[0].sender.isAdmin == false)
    }
}

@Suite struct RoomNamesTests {
    @Test("A room can't be taken over by one that claims to be its origin")
    func takeover() {
        var names = RoomNames()
        names.configure(["!a", "#cats:x"])
        names.resolved("#cats:x", to: "!c")
        names.upgraded("!a", to: "!a2")
        names.upgraded("!evil", to: "!a2")
        names.upgraded("!c", to: "!a")
        names.upgraded("!a2", to: "!a3")
        #expect(names.name(of: "!a3") == "!a" && names.name(of: "!a") == "!a" && names.name(of: "!c") == "#cats:x")
        #expect(names.name(of: "!else") == "!else" && !names.isConfigured("!else"))
        names.upgraded("!x", to: "!y")
        names.upgraded("!y", to: "!x")
        #expect(names.name(of: "!x") == "!x")
        #expect(names.rooms.isEmpty)
    }

    @Test("What an unconfigured room went on as has the name of the beginning, without end in a circle")
    func chain() {
        var names = RoomNames()
        names.restore((0..<5).map { RoomUpgrade(from: "!\($0)", to: "!\($0 + 1)") })
        #expect(names.name(of: "!5") == "!0" && names.name(of: "!0") == "!0")
        #expect(names.isReplacement("!1") && !names.isReplacement("!0"))
        names.disown("!3")
        #expect(names.name(of: "!5") == "!3" && names.name(of: "!2") == "!0")
    }
}
