import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Rooms on Synapse.
    @Suite struct Matrix {
        struct Stage {
            let server: Synapse
            let giphy: FakeGiphy
            let peer: MatrixPeer
            let bot: String
            let local: String

            init(_ name: String, on own: Synapse? = nil) async throws {
                if let own { server = own } else { server = try await Synapse.shared.get() }
                giphy = try await FakeGiphy.shared.get()
                try await giphy.reset()
                local = "gif_\(name)"
                bot = try await server.user(local)
                peer = try await MatrixPeer("ada_\(name)", on: server)
            }

            func config(accept: String = "[gifbot.test]", admins: [String] = [], secret: String? = nil) -> String {
                """
                \(Config.head(admins: admins))
                matrix:
                  - name: home
                    homeserver: \(server.url)
                    user: "\(bot)"
                    \(secret ?? "password: \(local)")
                    encryption: false
                    invites: {accept: \(accept)}
                \(Config.giphy(giphy))
                """
            }

            func room() async throws -> String {
                let room = try await peer.makeRoom(inviting: [bot])
                try await peer.waitForMember(bot, in: room)
                return room
            }
        }

        @Test func `invited, it answers !gif and /gif with a notice, and notices with nothing`() async throws {
            let stage = try await Stage("room")
            try await withBot(stage.config()) { bot in
                let room = try await stage.room()
                try await stage.peer.send("!gif notice", to: room, kind: "m.notice")
                try await stage.peer.send("!gif emote", to: room, kind: "m.emote")
                let asked = ["!gif party", "/gif parrot", "//gif slashes"]
                for (number, line) in asked.enumerated() {
                    try await stage.peer.send(line, to: room)
                    _ = try await stage.peer.waitForMessages(number + 1, of: stage.bot, in: room)
                }
                #expect(try await bot.stop() == 0)
                let answers = try await stage.peer.messages(in: room, of: stage.bot)
                #expect(answers.map(\.kind) == ["m.notice", "m.notice", "m.notice"])
                for event in answers {
                    let answer = try Answer(event.body)
                    let header = try await answer.header()
                    #expect(header == GIFHeader(width: answer.width, height: answer.height))
                    if let html = event.content["formatted_body"].text { #expect(html.contains(answer.url)) }
                }
            }
            #expect(try await stage.giphy.searches == ["party", "parrot", "slashes"])
        }

        @Test func `a mention works, and so does a bare command in a direct chat`() async throws {
            let stage = try await Stage("mention")
            try await withBot(stage.config()) { _ in
                let room = try await stage.room()
                try await stage.peer.send("hello everybody", to: room)
                try await stage.peer.send(
                    "\(stage.local): gif pill", to: room,
                    extra: [
                        "format": "org.matrix.custom.html",
                        "formatted_body":
                            "<a href=\"https://matrix.to/#/\(stage.bot)\">\(stage.local)</a>: gif pill",
                        "m.mentions": ["user_ids": [stage.bot]],
                    ])
                #expect(try await stage.peer.waitForMessages(1, of: stage.bot, in: room).count == 1)
                let direct = try await stage.peer.makeRoom(inviting: [stage.bot], direct: true)
                try await stage.peer.waitForMember(stage.bot, in: direct)
                try await stage.peer.send("gif bare", to: direct)
                #expect(try await stage.peer.waitForMessages(1, of: stage.bot, in: direct).count == 1)
            }
            #expect(try await stage.giphy.searches == ["pill", "bare"])
        }

        @Test func `invites are for admins unless the config says more`() async throws {
            let stage = try await Stage("policy")
            let admin = try await MatrixPeer("boss_policy", on: stage.server)
            try await withBot(stage.config(accept: "admins", admins: [admin.id])) { _ in
                let strange = try await stage.peer.makeRoom(inviting: [stage.bot])
                let welcome = try await admin.makeRoom(inviting: [stage.bot])
                try await admin.waitForMember(stage.bot, in: welcome)
                // It has seen both invites by now: it reads what happens in order.
                try await admin.send("!gif party", to: welcome)
                _ = try await admin.waitForMessages(1, of: stage.bot, in: welcome)
                #expect(try await stage.peer.members(of: strange) == [stage.peer.id])
            }
        }

        @Test("BUG-15: a restart answers nothing twice, signs in no second time, and keeps its token to itself")
        func restart() async throws {
            let stage = try await Stage("restart")
            let folder = try TemporaryFolder()
            var room = ""
            try await withBot(stage.config(), in: folder) { _ in
                room = try await stage.room()
                try await stage.peer.send("!gif before", to: room)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
            }
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/state")
            let tokens = files.filter { $0.lowercased().contains("token") || $0.lowercased().contains("matrix") }
            #expect(!tokens.isEmpty, "no token file among \(files)")
            for file in tokens {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/state/" + file)
                guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
                let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
                #expect(mode & 0o077 == 0, "\(file) has mode \(String(mode, radix: 8))")
            }
            try await withBot(stage.config(), in: folder) { bot in
                try await stage.peer.send("!gif after", to: room)
                _ = try await stage.peer.waitForMessages(2, of: stage.bot, in: room)
                #expect(try await bot.stop() == 0)
                #expect(try await stage.peer.messages(in: room, of: stage.bot).count == 2)
            }
            #expect(try await stage.giphy.searches == ["before", "after"])
            let itself = try await MatrixPeer(stage.local, on: stage.server)
            #expect(try await itself.otherDevices().count == 1)

            // Without its memory everything in the room is old.
            try FileManager.default.removeItem(atPath: folder.path + "/state")
            try await withBot(stage.config(), in: folder) { bot in
                try await eventually("its second device") { try await itself.otherDevices().count == 2 }
                let late = try await stage.peer.makeRoom(inviting: [stage.bot])
                try await stage.peer.waitForMember(stage.bot, in: late)
                try await stage.peer.send("!gif fresh", to: late)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: late)
                #expect(try await bot.stop() == 0)
                #expect(try await stage.peer.messages(in: room, of: stage.bot).count == 2)
            }
        }

        @Test("BUG-16: on a homeserver with tight limits every answer comes, once")
        func tightLimits() async throws {
            let own = try await Synapse(["--limits", "tight"])
            let stage = try await Stage("tight", on: own)
            try await withBot(stage.config()) { bot in
                let room = try await stage.room()
                for word in ["one", "two", "three", "four"] { try await stage.peer.send("!gif \(word)", to: room) }
                _ = try await stage.peer.waitForMessages(4, of: stage.bot, in: room, within: .seconds(60))
                #expect(try await bot.stop() == 0)
                #expect(try await stage.peer.messages(in: room, of: stage.bot).count == 4)
            }
            try await own.script.stop()
        }

        @Test("BUG-17: a token that is no good stops the Matrix side with one line, and nothing else")
        func deadToken() async throws {
            let stage = try await Stage("token")
            let config = stage.config(secret: "access_token: syt_no_such_token")
            try await withBot(config) { bot in
                try await bot.logs("a line about the token") { line in
                    line.lowercased().contains("token") && !line.contains("syt_no_such_token")
                }
                #expect(bot.program.isRunning)
                #expect(!bot.program.errors.contains("syt_no_such_token"))
                #expect(try await bot.stop() == 0)
            }
        }
    }
}
