import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What people on Synapse see of the bot besides its answers.
    @Suite struct MatrixManners {
        typealias Stage = EndToEnd.Matrix.Stage

        /// Who is typing, each time that changes, and which events the bot has read, until `isOver`.
        private static func watch(
            _ stage: Stage, _ room: String, since: String, until isOver: ([[String]], [JSON]) async throws -> Bool
        ) async throws -> (typing: [[String]], receipts: [JSON], next: String) {
            var typing: [[String]] = []
            var receipts: [JSON] = []
            var next = since
            try await eventually("\(stage.bot) to show it", within: .seconds(20)) {
                let passing = try await stage.peer.passing(since: next)
                next = passing.next
                for (place, event) in passing.events where place == room {
                    if event["type"].text == "m.typing" {
                        typing.append(event["content", "user_ids"].list.compactMap(\.text))
                    } else if event["type"].text == "m.receipt" {
                        receipts.append(event["content"])
                    }
                }
                return try await isOver(typing, receipts)
            }
            return (typing, receipts, next)
        }

        @Test("BUG-16: a search that takes long shows as typing after 500 ms, until the answer; a quick one doesn't")
        func typing() async throws {
            let stage = try await Stage("typing")
            try await withBot(stage.config()) { _ in
                let room = try await stage.room()
                try await stage.peer.send("!gif quick", to: room)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
                try await stage.giphy.slow(between: 3...3)
                let (start, early) = try await stage.peer.passing(since: nil)
                #expect(
                    !early.contains {
                        $0.event["type"].text == "m.typing" && !$0.event["content", "user_ids"].list.isEmpty
                    })
                let asked = ContinuousClock.now
                try await stage.peer.send("!gif slow", to: room)
                let shown = try await Self.watch(stage, room, since: start) { typing, _ in typing.contains([stage.bot])
                }
                let after = ContinuousClock.now - asked
                #expect(after >= .milliseconds(500) && after < .milliseconds(2500), "\(after)")
                _ = try await stage.peer.waitForMessages(2, of: stage.bot, in: room)
                let over = try await Self.watch(stage, room, since: shown.next) { typing, _ in typing.last == [] }
                #expect(over.typing == [[]])
            }
        }

        @Test("The command is marked as read, in its thread too")
        func receipts() async throws {
            let stage = try await Stage("receipts")
            try await withBot(stage.config()) { _ in
                let room = try await stage.room()
                let (start, _) = try await stage.peer.passing(since: nil)
                let asked = try await stage.peer.send("!gif party", to: room)
                let seen = try await Self.watch(stage, room, since: start) { _, receipts in
                    receipts.contains { $0[asked, "m.read", stage.bot].value != nil }
                }
                #expect(seen.receipts.contains { $0[asked, "m.read", stage.bot, "thread_id"].text == "main" })
                let root = try await stage.peer.send("a topic", to: room)
                let relation = ["rel_type": "m.thread", "event_id": root]
                let inThread = try await stage.peer.send("!gif cat", to: room, extra: ["m.relates_to": relation])
                _ = try await Self.watch(stage, room, since: seen.next) { _, receipts in
                    receipts.contains { $0[inThread, "m.read", stage.bot, "thread_id"].text == root }
                }
            }
        }

        @Test("The profile has the name and the picture of the config, which is uploaded once; the name calls the bot")
        func profile() async throws {
            let stage = try await Stage("profile")
            let folder = try TemporaryFolder()
            let picture = try #require(
                FileManager.default.enumerator(atPath: Places.checkout.path + "/Sources/GiphySearch/Samples")?
                    .compactMap { $0 as? String }.first { $0.hasSuffix(".gif") })
            let bytes = try Data(
                contentsOf: Places.checkout.appending(path: "Sources/GiphySearch/Samples").appending(path: picture))
            try bytes.write(to: URL(fileURLWithPath: folder.path + "/face.gif"))
            let config = stage.config().replacing(
                "    encryption: false", with: "    encryption: false\n    display_name: Giffy\n    avatar: face.gif")
            var uri = ""
            for run in 1...2 {
                try await withBot(config, in: folder) { bot in
                    uri = try await eventually("the picture") {
                        try await stage.peer.profile(of: stage.bot)["avatar_url"].text
                    }
                    #expect(try await stage.peer.profile(of: stage.bot)["displayname"].text == "Giffy")
                    if run == 1 {
                        #expect(try await stage.peer.download(uri) == bytes)
                        let room = try await stage.room()
                        try await stage.peer.send("Giffy, gif party", to: room)
                        _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
                    } else {
                        try await bot.logs("that it is at work") { $0.contains("signed in") }
                    }
                    #expect(try await bot.stop() == 0)
                }
            }
            #expect(try await stage.peer.profile(of: stage.bot)["avatar_url"].text == uri)
            #expect(try await stage.giphy.searches == ["party"])
        }

        @Test("A preview goes to the chat of two that is there, after a restart too, and not once a third one is in it")
        func preview() async throws {
            let stage = try await Stage("preview")
            let third = try await MatrixPeer("bo_preview", on: stage.server)
            let folder = try TemporaryFolder()
            var (room, direct) = ("", "")
            try await withBot(stage.config(), in: folder) { bot in
                room = try await stage.room()
                try await stage.peer.invite(third.id, to: room)
                try await third.join(room)
                direct = try await stage.peer.makeRoom(inviting: [stage.bot], direct: true)
                try await stage.peer.waitForMember(stage.bot, in: direct)
                // Nobody has said a word there.
                try await stage.peer.send("!gif preview party", to: room)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: direct)
                #expect(try await bot.stop() == 0)
            }
            try await withBot(stage.config(), in: folder) { bot in
                try await stage.peer.send("!gif preview cat", to: room)
                _ = try await stage.peer.waitForMessages(2, of: stage.bot, in: direct)
                #expect(try await stage.peer.messages(in: room, of: stage.bot).isEmpty)
                #expect(try await bot.stop() == 0)
            }
            try await stage.peer.invite(third.id, to: direct)
            try await withBot(stage.config(), in: folder) { bot in
                try await stage.peer.send("!gif preview dog", to: room)
                let said = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
                #expect(said[0].kind == "m.notice" && said[0].content["url"].value == nil, "\(said[0].body)")
                #expect(try await bot.stop() == 0)
                #expect(try await stage.peer.messages(in: direct, of: stage.bot).count == 2)
            }
        }
    }
}
