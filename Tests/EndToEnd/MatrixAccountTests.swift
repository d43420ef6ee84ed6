import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Accounts and servers that come, go and are shut, on Synapse.
    @Suite struct MatrixAccounts {
        typealias Stage = EndToEnd.Matrix.Stage

        @Test("Two accounts in one program: each in its rooms, and one that is no good is no matter to the other")
        func several() async throws {
            let stage = try await Stage("first")
            let second = try await stage.server.user("gif_second")
            let more = [
                ("second", second, "password: gif_second"), ("third", "@gif_third:gifbot.test", "password: wrong"),
            ]
            .map {
                """
                  - {name: \($0.0), homeserver: "\(stage.server.url)", user: "\($0.1)", \($0.2), encryption: false,
                     invites: {accept: [gifbot.test]}}
                """
            }.joined(separator: "\n")
            try await withBot(stage.config().replacing("\nsearch:", with: "\n\(more)\nsearch:")) { bot in
                let room = try await stage.room()
                let other = try await stage.peer.makeRoom(inviting: [second])
                try await stage.peer.waitForMember(second, in: other)
                try await bot.logs("that the third can't log in") {
                    $0.contains("account is stopped") && $0.contains("account=third")
                }
                try await stage.peer.send("!gif one", to: room)
                try await stage.peer.send("!gif two", to: other)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
                _ = try await stage.peer.waitForMessages(1, of: second, in: other)
                #expect(try await bot.stop() == 0)
            }
            #expect(try await stage.giphy.searches.sorted() == ["one", "two"])
        }

        @Test(
            "BUG-17: a locked account and one that was deactivated are told once, and not asked for again and again")
        func shut() async throws {
            let stage = try await Stage("shut")
            let admin = try await MatrixPeer("root_shut", on: stage.server, isAdmin: true)
            let folder = try TemporaryFolder()
            let account = "/v2/users/\(admin.escaped(stage.bot))"
            try await withBot(stage.config(), in: folder) { bot in
                _ = try await stage.room()
                try await admin.administer("PUT", account, ["locked": true])
                try await bot.logs("that the account is locked", within: .seconds(45)) {
                    $0.contains("account is stopped") && $0.contains("M_USER_LOCKED")
                }
                #expect(bot.program.isRunning && bot.program.errors.lines.filter { $0.contains("stopped") }.count == 1)
                #expect(try await bot.stop() == 0)
            }
            try await admin.administer("PUT", account, ["locked": false])
            try await admin.administer("POST", "/v1/deactivate/\(admin.escaped(stage.bot))", ["erase": false])
            try await withBot(stage.config(), in: folder) { bot in
                // Synapse doesn't say more than that the password is no good.
                try await bot.logs("that it can't log in") {
                    $0.contains("account is stopped") && $0.contains("403 M_FORBIDDEN")
                }
                #expect(bot.program.isRunning && bot.program.errors.lines.filter { $0.contains("stopped") }.count == 1)
                #expect(try await bot.stop() == 0)
            }
        }

        @Test("BUG-17: a homeserver that stops and starts under the bot loses no command, and fills no log")
        func serverRestart() async throws {
            let own = try await Synapse()
            let stage = try await Stage("comeback", on: own)
            try await withBot(stage.config()) { bot in
                let room = try await stage.room()
                try await stage.giphy.slow(between: 1...1)
                // Its answer is due while the server is away.
                try await stage.peer.send("!gif before", to: room)
                try await own.restart()
                try await stage.giphy.reset()
                try await stage.peer.send("!gif after", to: room)
                _ = try await stage.peer.waitForMessages(2, of: stage.bot, in: room, within: .seconds(60))
                let lines = bot.program.errors.lines
                #expect(lines.filter { $0.contains("can't be used now") }.count <= 3, "\(bot.program.tail)")
                #expect(lines.contains { $0.contains("works again") })
                #expect(try await bot.stop() == 0)
                #expect(try await stage.peer.messages(in: room, of: stage.bot).count == 2)
            }
            try await own.script.stop()
        }

        @Test(
            "BUG-16: an account's limit is shared by the rooms in turn; what waits for too long is dropped and counted",
            arguments: [nil, "3s"])
        func limited(within: String?) async throws {
            let own = try await Synapse(["--limits", "tight"])
            let stage = try await Stage("limited", on: own)
            let config = stage.config().replacing(
                "    encryption: false",
                with: "    encryption: false" + (within.map { "\n    send_within: \($0)" } ?? ""))
            try await withBot(config) { bot in
                // People are limited too: one alone can't fill a queue.
                let room = try await stage.room()
                var people: [MatrixPeer] = []
                for number in 1...4 {
                    let person = try await MatrixPeer("p\(number)_limited", on: own)
                    try await stage.peer.invite(person.id, to: room)
                    try await person.join(room)
                    people.append(person)
                }
                let other = try await people[3].makeRoom(inviting: [stage.bot])
                try await people[3].waitForMember(stage.bot, in: other)
                for number in 1...2 {
                    for person in people[..<3] { try await person.send("!gif \(person.id) \(number)", to: room) }
                }
                try await people[3].send("!gif other", to: other)
                if within != nil {
                    try await bot.logs("that answers were dropped", within: .seconds(30)) {
                        $0.contains("an answer was not sent")
                    }
                    try await people[3].send("!gif later", to: other)
                    _ = try await eventually("the later answer", within: .seconds(30)) {
                        try await people[3].messages(in: other, of: stage.bot).last { $0.body.contains("Later") }
                    }
                    // Each of the six was sent or counted.
                    try await eventually("six answers, sent or dropped\n\(bot.program.tail)") {
                        let sent = try await stage.peer.messages(in: room, of: stage.bot).count
                        let dropped = bot.program.errors.lines
                            .filter { $0.contains("an answer was not sent") && $0.contains("room=\(room)") }.count
                        return sent < 6 && sent + dropped == 6
                    }
                } else {
                    let said = try await stage.peer.waitForMessages(6, of: stage.bot, in: room, within: .seconds(60))
                    let elsewhere = try await people[3].waitForMessages(1, of: stage.bot, in: other)
                    #expect(elsewhere[0].time < said[5].time && said.count == 6 && elsewhere.count == 1)
                }
                #expect(try await bot.stop() == 0)
            }
            try await own.script.stop()
        }

        @Test("A token that ended while the bot was away is renewed, without another login")
        func endedWhileAway() async throws {
            let own = try await Synapse(["--token-lifetime", "5s"])
            let stage = try await Stage("away", on: own)
            let folder = try TemporaryFolder()
            var room = ""
            var start = ContinuousClock.now
            try await withBot(stage.config(), in: folder) { _ in
                room = try await stage.room()
                start = .now
            }
            try await eventually("the token's end") { ContinuousClock.now > start + .seconds(6) }
            let peer = try await MatrixPeer("ada_away", on: own)
            try await peer.send("!gif party", to: room)
            try await withBot(stage.config(), in: folder) { bot in
                _ = try await peer.waitForMessages(1, of: stage.bot, in: room)
                #expect(!bot.program.errors.lines.contains { $0.contains("logged in") || $0.contains("logging in") })
                #expect(try await bot.stop() == 0)
            }
            try await own.script.stop()
        }

        @Test("BUG-18: thrown out in the middle of a search nothing more is said there, until the next invite")
        func kicked() async throws {
            let stage = try await Stage("kicked")
            try await withBot(stage.config()) { bot in
                let room = try await stage.room()
                let other = try await stage.room()
                try await stage.giphy.slow(between: 2...2)
                try await stage.peer.send("!gif late", to: room)
                try await eventually("the search") { try await stage.giphy.searches == ["late"] }
                _ = try await stage.peer.call(
                    "POST", "/rooms/\(stage.peer.escaped(room))/kick", ["user_id": stage.bot])
                try await stage.peer.send("!gif elsewhere", to: other)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: other)
                #expect(try await stage.peer.members(of: room) == [stage.peer.id])
                try await stage.peer.invite(stage.bot, to: room)
                try await stage.peer.waitForMember(stage.bot, in: room)
                try await stage.giphy.fail(nil)
                try await stage.peer.send("!gif again", to: room)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
                #expect(try await bot.stop() == 0)
                #expect(try await stage.peer.messages(in: room, of: stage.bot).count == 1)
            }
            #expect(try await stage.giphy.searches == ["late", "elsewhere", "again"])
        }
    }
}
