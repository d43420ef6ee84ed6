import Foundation
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
