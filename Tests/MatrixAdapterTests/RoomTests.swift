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
        await bench.sync([text("!gif owl", id: "$1")], room: "!r2")
        #expect(bench.bot.messages.map(\.conversation.name) == [room1])
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
    }
}
