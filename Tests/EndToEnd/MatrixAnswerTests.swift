import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Answers with files, and what becomes of answers, on Synapse.
    @Suite struct MatrixAnswers {
        /// The samples may be copied, so they are posted as files.
        private static func config(_ stage: Matrix.Stage) -> String {
            """
            \(Config.head())
            matrix:
              - name: home
                homeserver: \(stage.server.url)
                user: "\(stage.bot)"
                password: \(stage.local)
                encryption: false
                media: image
                invites: {accept: [gifbot.test]}
            search: {providers: [folder]}
            log: {level: debug}
            """
        }

        @Test("BUG-19: an image in the thread asked in; what was uploaded is used again")
        func image() async throws {
            let stage = try await Matrix.Stage("image")
            try await withBot(Self.config(stage)) { _ in
                let room = try await stage.room()
                let root = try await stage.peer.send("a topic", to: room)
                var seen: [String] = []
                for number in 1...4 {
                    try await stage.peer.send(
                        "!gif party", to: room,
                        extra: ["m.relates_to": ["rel_type": "m.thread", "event_id": root]])
                    let answers = try await stage.peer.waitForMessages(number, of: stage.bot, in: room)
                    let content = try #require(answers.last).content
                    #expect(content["msgtype"].text == "m.image")
                    #expect(content["m.relates_to", "event_id"].text == root)
                    #expect(content["filename"].text?.hasSuffix(".gif") == true)
                    #expect(content["m.mentions"].members.isEmpty && content["m.mentions"].value != nil)
                    let uri = try #require(content["url"].text)
                    let file = try await stage.peer.download(uri)
                    let header = try #require(GIFHeader(file))
                    #expect(content["info", "size"].number == file.count)
                    #expect(content["info", "w"].number == header.width && content["info", "h"].number == header.height)
                    #expect(content["info", "mimetype"].text == "image/gif")
                    seen.append(uri)
                }
                // There are two of them.
                #expect(seen[2] == seen[0] && seen[3] == seen[1] && seen[0] != seen[1])
            }
        }

        @Test("BUG-22: where the homeserver takes no such file, the link is sent")
        func uploadLimit() async throws {
            let own = try await Synapse(["--max-upload", "1K"])
            let stage = try await Matrix.Stage("upload", on: own)
            try await withBot(Self.config(stage)) { _ in
                let room = try await stage.room()
                try await stage.peer.send("!gif party", to: room)
                let answers = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
                #expect(answers[0].kind == "m.notice")
            }
            try await own.script.stop()
        }

        @Test(
            "BUG-22: of a GIF that is too large for the homeserver a smaller rendition is posted, as an image that moves"
        )
        func smallerRendition() async throws {
            let own = try await Synapse(["--max-upload", "2K"])
            let stage = try await Matrix.Stage("smaller", on: own)
            let search = Config.giphy(stage.giphy).replacing("budget: off", with: "budget: off, permission: \"a test\"")
            let config = stage.config().replacing(Config.giphy(stage.giphy), with: search)
                .replacing("defaults: {", with: "defaults: {media: image, ")
            try await withBot(config) { bot in
                let room = try await stage.room()
                try await stage.peer.send("!gif party", to: room)
                let content = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)[0].content
                #expect(content["msgtype"].text == "m.image", "\(bot.program.tail)")
                let file = try await stage.peer.download(try #require(content["url"].text))
                let header = try #require(GIFHeader(file))
                #expect(file.count <= 2048 && content["info", "size"].number == file.count)
                #expect(content["info", "w"].number == header.width && content["info", "h"].number == header.height)
                #expect((content["info", "is_animated"].value as? NSNumber)?.boolValue == true)
                // The caption is what a link answer says.
                let caption = try #require(content["body"].text)
                #expect(content["filename"].text != caption && caption.contains("GIPHY"))
                #expect(try await bot.stop() == 0)
            }
            try await own.script.stop()
        }

        @Test("BUG-22: of files near 16 MiB one at a time is in memory, and none afterwards")
        func largeFiles() async throws {
            let stage = try await Matrix.Stage("large")
            let folder = try TemporaryFolder()
            let samples = Places.checkout.appending(path: "Sources/GiphySearch/Samples/gifs")
            let sample = try #require(try FileManager.default.contentsOfDirectory(atPath: samples.path).min())
            // What follows a GIF's end is nobody's, so that Synapse has a small picture to make thumbnails of.
            let small = try Data(contentsOf: samples.appending(path: sample))
            let bytes = small + Data(count: 15_900_000 - small.count)
            try FileManager.default.createDirectory(atPath: folder.path + "/gifs", withIntermediateDirectories: true)
            for number in 1...4 {
                try (bytes + Data(count: number)).write(
                    to: URL(fileURLWithPath: folder.path + "/gifs/party\(number).gif"))
            }
            let config = Self.config(stage)
                .replacing("[folder]", with: "[folder], folder: {path: ./gifs}")
                .replacing("media: image", with: "media: image\n    max_bytes: 16MB")
            try await withBot(config, in: folder) { bot in
                let rooms = [try await stage.room(), try await stage.room()]
                let before = try bot.program.memory("RssAnon")
                for number in 1...2 {
                    for room in rooms { try await stage.peer.send("!gif party", to: room) }
                    for room in rooms {
                        let said = try await stage.peer.waitForMessages(
                            number, of: stage.bot, in: room, within: .seconds(60))
                        #expect(said.last?.kind == "m.image", "\(bot.program.tail)")
                    }
                }
                // The peak counts the program itself too, of which more and more is touched.
                #expect(try bot.program.memory("VmHWM") < bot.program.memory("VmRSS") + 18 << 20)
                #expect(try bot.program.memory("RssAnon") < before + 4 << 20)
                #expect(try await bot.stop() == 0)
            }
        }

        @Test("BUG-04: a command that is taken back, or edited twice, while its search is still running")
        func changesMeanwhile() async throws {
            let stage = try await Matrix.Stage("meanwhile")
            try await withBot(stage.config()) { bot in
                let room = try await stage.room()
                try await stage.giphy.slow(between: 1...1)
                let gone = try await stage.peer.send("!gif gone", to: room)
                try await eventually("the search") { try await stage.giphy.searches == ["gone"] }
                try await stage.peer.redact(gone, in: room)
                let asked = try await stage.peer.send("!gif frist", to: room)
                _ = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)
                try await stage.peer.edit(asked, to: "!gif secnod", in: room)
                try await stage.peer.edit(asked, to: "!gif third", in: room)
                let said = try await stage.peer.waitForMessages(2, of: stage.bot, in: room)
                #expect(said[0].content["m.relates_to", "m.in_reply_to", "event_id"].text == asked)
                #expect(said[1].content["m.relates_to", "event_id"].text == said[0].id)
                #expect(said[1].content["m.new_content", "body"].text?.contains("Third") == true)
                #expect(try await bot.stop() == 0)
                #expect(try await stage.peer.messages(in: room, of: stage.bot).count == 2)
            }
            #expect(try await stage.giphy.searches == ["gone", "frist", "third"])
        }

        @Test("Marks: another person's does nothing, an operator's pages both ways; the bot offers them where it may")
        func marks() async throws {
            let stage = try await Matrix.Stage("marks")
            let bo = try await MatrixPeer("bo_marks", on: stage.server)
            let config = stage.config().replacing(
                "    encryption: false", with: "    encryption: false\n    buttons: true")
            try await withBot(config) { bot in
                let room = try await stage.room()
                try await stage.peer.invite(bo.id, to: room)
                try await bo.join(room)
                try await bo.send("!gif party", to: room)
                let answer = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)[0]
                let relations =
                    "/rooms/\(stage.peer.escaped(room))/relations/\(stage.peer.escaped(answer.id))/m.annotation"
                try await eventually("three buttons") {
                    let path = "/_matrix/client/v1" + relations
                    return try await stage.peer.at(path)["chunk"].list.count == 3
                }
                let stranger = try await MatrixPeer("cy_marks", on: stage.server)
                try await stage.peer.invite(stranger.id, to: room)
                try await stranger.join(room)
                try await stranger.react("❌", to: answer.id, in: room)
                // The room's maker is its operator.
                var bodies = [answer.body]
                for (number, mark) in ["🔁", "⬅️"].enumerated() {
                    try await stage.peer.react(mark, to: answer.id, in: room)
                    let said = try await stage.peer.waitForMessages(number + 2, of: stage.bot, in: room)
                    #expect(said[number + 1].content["m.relates_to", "event_id"].text == answer.id)
                    bodies.append(try #require(said[number + 1].content["m.new_content", "body"].text))
                }
                #expect(bodies[0] == bodies[2] && bodies[0] != bodies[1])
                #expect(try await !stage.peer.event(answer.id, in: room)["content"].members.isEmpty)
                #expect(try await bot.stop() == 0)
            }
        }

        @Test("BUG-04: an edit of the command edits the answer; a redaction takes it away; so does a mark")
        func changes() async throws {
            let stage = try await Matrix.Stage("changes")
            try await withBot(Self.config(stage)) { _ in
                let room = try await stage.room()
                let asked = try await stage.peer.send("!gif party", to: room)
                let answer = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)[0]
                try await stage.peer.edit(asked, to: "!gif happy", in: room)
                let edits = try await stage.peer.waitForMessages(2, of: stage.bot, in: room)
                #expect(edits[1].content["m.relates_to", "event_id"].text == answer.id)
                #expect(edits[1].content["m.new_content", "msgtype"].text == "m.image")
                try await stage.peer.react("🔁", to: answer.id, in: room)
                let turned = try await stage.peer.waitForMessages(3, of: stage.bot, in: room)
                #expect(turned[2].content["m.relates_to", "rel_type"].text == "m.replace")
                #expect(turned[2].content["m.new_content", "msgtype"].text == "m.image")
                try await stage.peer.redact(asked, in: room)
                try await eventually("the answer to be gone") {
                    try await stage.peer.event(answer.id, in: room)["content"].members.isEmpty
                }
                try await stage.peer.send("!gif cat", to: room)
                let last = try await eventually("the second answer") {
                    try await stage.peer.messages(in: room, of: stage.bot).last { $0.kind == "m.image" }
                }
                try await stage.peer.react("❌", to: last.id, in: room)
                try await eventually("the second answer to be gone") {
                    try await stage.peer.event(last.id, in: room)["content"].members.isEmpty
                }
            }
        }
    }
}
