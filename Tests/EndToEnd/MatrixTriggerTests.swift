import Foundation
import Testing

extension EndToEnd {
    /// What is a command in a room on Synapse, and what is none.
    @Suite struct MatrixTriggers {
        typealias Stage = EndToEnd.Matrix.Stage

        @Test("BUG-01, BUG-03, BUG-04, BUG-13: all forms that call the bot, and none that doesn't")
        func forms() async throws {
            let stage = try await Stage("forms")
            let (id, name) = (stage.bot, stage.local)
            let toUs: [String: Any] = ["m.mentions": ["user_ids": [id]]]
            let config = stage.config().replacing(
                "    encryption: false", with: "    encryption: false\n    display_name: Mister Gif")
            let third = try await MatrixPeer("bo_forms", on: stage.server)
            try await withBot(config) { bot in
                let room = try await stage.room()
                // Between two people bare words are enough.
                try await stage.peer.invite(third.id, to: room)
                try await third.join(room)
                func say(_ body: String, _ more: [String: Any] = [:]) async throws -> String {
                    try await stage.peer.send(body, to: room, extra: more)
                }
                func reply(to event: String) -> [String: Any] {
                    ["m.relates_to": ["m.in_reply_to": ["event_id": event]]]
                }
                let plain = try await say("good morning")
                for none in ["!gifs no", "gif no", "tell !gif no", "> !gif no", "Mister Gifs gif no", "\(name) gif no"]
                {
                    _ = try await say(none)
                }
                _ = try await say("gif says Mister Gif", toUs)
                _ = try await say("> <\(stage.peer.id)> !gif no\n\nso cute", reply(to: plain))
                _ = try await say("gif no", toUs.merging(reply(to: plain)) { $1 })
                try await stage.peer.edit(plain, to: "!gif no", in: room)
                let sticker = "/rooms/\(stage.peer.escaped(room))/send/m.sticker/\(UUID().uuidString)"
                _ = try await stage.peer.call(
                    "PUT", sticker, ["body": "!gif no", "info": [String: String](), "url": "mxc://gifbot.test/none"])
                let itself = try await MatrixPeer(name, on: stage.server)
                try await itself.send("!gif no", to: room)

                let calls: [(String, [String: Any])] = [
                    ("!gif a1", [:]), ("  !Gif   a2 ", [:]), ("!gif\u{A0}a3", [:]), ("/gif a4", [:]), ("//gif a5", [:]),
                    ("Mister Gif: gif a6", [:]), ("mister gif, gif a7", [:]), ("Mister Gif gif a8", [:]),
                    ("\(id): gif a9", [:]), ("\(id) gif b1", [:]), ("@\(name) gif b2", [:]), ("\(name): gif b3", [:]),
                    ("gif b4", toUs),
                    ("> <\(stage.peer.id)> good\n> morning\n\n!gif b5", reply(to: plain)),
                    ("!gif b6", reply(to: plain)),
                ]
                for (number, (body, more)) in calls.enumerated() {
                    let asked = try await say(body, more)
                    // The first message of this account is the one that it was made to say.
                    let answers = try await stage.peer.waitForMessages(number + 2, of: id, in: room)
                    let answer = try #require(answers.last)
                    #expect(answer.content["m.relates_to", "m.in_reply_to", "event_id"].text == asked, "\(body)")
                }
                #expect(try await bot.stop() == 0)
            }
            let wanted = (1...9).map { "a\($0)" } + (1...6).map { "b\($0)" }
            #expect(try await stage.giphy.searches == wanted)
        }

        @Test(
            "Rooms of each version: the same commands, answers, threads and redactions", arguments: ["10", "11", "12"])
        func roomVersions(version: String) async throws {
            let stage = try await Stage("version\(version)")
            try await withBot(stage.config()) { bot in
                let made = try await stage.peer.call(
                    "POST", "/createRoom", ["room_version": version, "invite": [stage.bot]])
                let room = try #require(made["room_id"].text)
                #expect(room.contains(":") == (version != "12"))
                try await stage.peer.waitForMember(stage.bot, in: room)
                let root = try await stage.peer.send("a topic", to: room)
                let asked = try await stage.peer.send(
                    "!gif party", to: room, extra: ["m.relates_to": ["rel_type": "m.thread", "event_id": root]])
                let answer = try await stage.peer.waitForMessages(1, of: stage.bot, in: room)[0]
                let relation = answer.content["m.relates_to"]
                #expect(relation["rel_type"].text == "m.thread" && relation["event_id"].text == root)
                #expect(relation["m.in_reply_to", "event_id"].text == asked)
                #expect((relation["is_falling_back"].value as? NSNumber)?.boolValue == true)
                #expect(answer.kind == "m.notice" && answer.content["m.mentions"].members.isEmpty)
                #expect(answer.content["m.mentions"].value != nil)
                let link = try Answer(answer.body).url
                #expect(answer.content["format"].text == "org.matrix.custom.html")
                #expect(answer.content["formatted_body"].text?.contains("<a href=\"\(link)\"") == true)
                try await stage.peer.redact(asked, in: room)
                try await eventually("the answer to be gone") {
                    try await stage.peer.event(answer.id, in: room)["content"].members.isEmpty
                }
                #expect(try await bot.stop() == 0)
            }
        }
    }
}
