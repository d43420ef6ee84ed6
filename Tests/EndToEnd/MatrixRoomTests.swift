import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Which rooms the bot is in, what it reads there, and how its account stays signed in, on Synapse.
    @Suite struct MatrixRooms {
        typealias Stage = EndToEnd.Matrix.Stage

        @Test("What a limited timeline left out while the bot was away is answered, young as it is")
        func gap() async throws {
            let stage = try await Stage("gap")
            let folder = try TemporaryFolder()
            var room = ""
            try await withBot(stage.config(), in: folder) { _ in room = try await stage.room() }
            try await stage.peer.send("!gif early", to: room)
            for number in 0..<45 { try await stage.peer.send("chatter \(number)", to: room) }
            try await stage.peer.send("!gif late", to: room)
            try await withBot(stage.config(), in: folder) { bot in
                _ = try await stage.peer.waitForMessages(2, of: stage.bot, in: room)
                #expect(try await bot.stop() == 0)
            }
            #expect(try await stage.giphy.searches.sorted() == ["early", "late"])
        }

        @Test("Tokens that end after seconds are renewed without a gap and without a second login")
        func tokenLifetime() async throws {
            let own = try await Synapse(["--token-lifetime", "5s"])
            let stage = try await Stage("lifetime", on: own)
            try await withBot(stage.config()) { bot in
                let room = try await stage.room()
                let end = ContinuousClock.now + .seconds(16)
                var asked = 0
                while ContinuousClock.now < end {
                    // People's tokens end as fast here, and they have no others.
                    let peer = try await MatrixPeer("ada_lifetime", on: own)
                    try await peer.send("!gif word\(asked)", to: room)
                    asked += 1
                    _ = try await peer.waitForMessages(asked, of: stage.bot, in: room)
                    try await Task.sleep(for: .seconds(2))
                }
                #expect(bot.program.errors.lines.filter { $0.contains("logged in") }.count == 1)
                #expect(try await bot.stop() == 0)
            }
            try await own.script.stop()
        }

        @Test("A device that was logged out elsewhere stops the account with one line")
        func loggedOut() async throws {
            let stage = try await Stage("loggedout")
            try await withBot(stage.config()) { bot in
                _ = try await stage.room()
                let itself = try await MatrixPeer(stage.local, on: stage.server)
                let device = try #require(try await itself.otherDevices().first?["device_id"].text)
                let path = "/delete_devices"
                _ = try await itself.call(
                    "POST", path,
                    [
                        "devices": [device],
                        "auth": [
                            "type": "m.login.password", "password": stage.local,
                            "identifier": ["type": "m.id.user", "user": stage.local],
                        ],
                    ])
                try await bot.logs("a line about the account", within: .seconds(45)) {
                    $0.contains("account is stopped")
                }
                #expect(bot.program.isRunning)
                #expect(try await bot.stop() == 0)
            }
        }

        @Test("BUG-18: an upgraded room is followed, with its settings, and the old one is left")
        func upgraded() async throws {
            let stage = try await Stage("upgrade")
            let old = try await stage.peer.makeRoom(inviting: [stage.bot])
            let config = stage.config(accept: "never")
                .replacing(
                    "    encryption: false",
                    with: "    encryption: false\n    rooms: [{name: \"\(old)\", prefixes: [\"?\"]}]")
            try await withBot(config) { bot in
                try await stage.peer.waitForMember(stage.bot, in: old)
                let answer = try await stage.peer.call(
                    "POST", "/rooms/\(stage.peer.escaped(old))/upgrade", ["new_version": "12"])
                let new = try #require(answer["replacement_room"].text)
                _ = try await stage.peer.call(
                    "POST", "/rooms/\(stage.peer.escaped(new))/invite", ["user_id": stage.bot])
                try await stage.peer.waitForMember(stage.bot, in: new)
                try await stage.peer.send("!gif wrong", to: new)
                try await stage.peer.send("?gif right", to: new)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: new)
                try await eventually("the bot to leave the old room") {
                    try await !stage.peer.members(of: old).contains(stage.bot)
                }
                #expect(try await bot.stop() == 0)
            }
            #expect(try await stage.giphy.searches == ["right"])
        }

        @Test("Where the bot may not speak nothing is attempted, until it may")
        func readOnly() async throws {
            let stage = try await Stage("readonly")
            try await withBot(stage.config()) { bot in
                let room = try await stage.room()
                let path = "/rooms/\(stage.peer.escaped(room))/state/m.room.power_levels"
                // A room of version 12 has its creator above all, and not in the list.
                _ = try await stage.peer.call("PUT", path, ["events": ["m.room.message": 50]])
                try await stage.peer.send("!gif silent", to: room)
                _ = try await stage.peer.call(
                    "PUT", path, ["events": ["m.room.message": 50], "users": [stage.bot: 50]])
                try await stage.peer.send("!gif loud", to: room)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
                #expect(try await bot.stop() == 0)
                #expect(try await stage.peer.messages(in: room, of: stage.bot).count == 1)
            }
            #expect(try await stage.giphy.searches == ["loud"])
        }

        @Test("Left alone the bot leaves; a space it doesn't enter; a room of the config is found by its alias")
        func comingAndGoing() async throws {
            let stage = try await Stage("going")
            let local = "cats-\(UUID().uuidString.prefix(8).lowercased())"
            let open = try await stage.peer.call(
                "POST", "/createRoom", ["preset": "public_chat", "room_alias_name": local])
            let byAlias = try #require(open["room_id"].text)
            let config = stage.config()
                .replacing(
                    "    encryption: false", with: "    encryption: false\n    rooms: [\"#\(local):gifbot.test\"]")
            try await withBot(config) { bot in
                try await stage.peer.waitForMember(stage.bot, in: byAlias)
                let space = try await stage.peer.call(
                    "POST", "/createRoom", ["creation_content": ["type": "m.space"], "invite": [stage.bot]])
                let room = try await stage.room()
                let itself = try await MatrixPeer(stage.local, on: stage.server)
                _ = try await stage.peer.call("POST", "/rooms/\(stage.peer.escaped(room))/leave", [:])
                try await eventually("the bot to leave too") {
                    try await !itself.call("GET", "/joined_rooms")["joined_rooms"].list.compactMap(\.text).contains(
                        room)
                }
                let joined = try await itself.call("GET", "/joined_rooms")["joined_rooms"].list.compactMap(\.text)
                #expect(joined == [byAlias] && !joined.contains(space["room_id"].text ?? ""))
                #expect(try await bot.stop() == 0)
            }
        }

        @Test("Whom the bot's account ignores is not answered, before and after a restart")
        func ignored() async throws {
            let stage = try await Stage("ignored")
            let troll = try await MatrixPeer("troll_ignored", on: stage.server)
            let folder = try TemporaryFolder()
            var room = ""
            try await withBot(stage.config(), in: folder) { _ in
                room = try await stage.room()
                _ = try await stage.peer.call(
                    "POST", "/rooms/\(stage.peer.escaped(room))/invite", ["user_id": troll.id])
                _ = try await troll.call("POST", "/join/\(stage.peer.escaped(room))", [:])
                let itself = try await MatrixPeer(stage.local, on: stage.server)
                _ = try await itself.call(
                    "PUT", "/user/\(stage.peer.escaped(stage.bot))/account_data/m.ignored_user_list",
                    ["ignored_users": [troll.id: [String: String]()]])
                try await troll.send("!gif troll", to: room)
                try await stage.peer.send("!gif first", to: room)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
            }
            try await withBot(stage.config(), in: folder) { bot in
                try await troll.send("!gif again", to: room)
                try await stage.peer.send("!gif second", to: room)
                _ = try await stage.peer.waitForMessages(2, of: stage.bot, in: room)
                #expect(try await bot.stop() == 0)
            }
            #expect(try await stage.giphy.searches == ["first", "second"])
        }
    }
}
