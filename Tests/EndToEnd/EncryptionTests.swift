import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Encrypted rooms on Synapse, with people whose clients have another implementation of the cryptography.
    @Suite struct Encryption {
        struct Stage {
            let server: Synapse
            let bot: String
            let local: String
            let peer: EncryptedPeer
            /// The peer's device.
            let store: TemporaryFolder

            init(_ name: String) async throws {
                server = try await Synapse.shared.get()
                local = "gif_\(name)"
                bot = try await server.user(local)
                store = try TemporaryFolder()
                peer = try await EncryptedPeer(
                    "eva_\(name)", on: server, store: store, names: ["bot": bot, "ask": "!gif party"])
            }

            /// The samples may be copied, so they are posted as files.
            func config(media: String = "link", more: [String] = []) -> String {
                ([
                    Config.head(), "matrix:", "  - name: home", "    homeserver: \(server.url)",
                    "    user: \"\(bot)\"", "    password: \(local)", "    media: \(media)",
                    "    invites: {accept: [gifbot.test]}",
                ] + more.map { "    " + $0 } + ["search: {providers: [folder]}", "log: {level: debug}"])
                .joined(separator: "\n")
            }

            @discardableResult
            func room(_ fields: [String: Any] = ["encrypted": true]) async throws -> String {
                let made = try await peer.take("create_room", ["invite": ["${bot}"]].merging(fields) { $1 })
                try await peer.take("wait_member", ["user": bot])
                return made["room_id"].text ?? ""
            }

            /// Asks and gives back what is answered; both by event.
            func ask(_ text: String = "!gif party", _ fields: [String: Any] = [:]) async throws -> (
                asked: String, answer: EncryptedPeer.Heard
            ) {
                let asked = try await peer.take("send", ["text": text].merging(fields) { $1 })
                return (asked["event_id"].text ?? "", try await good())
            }

            /// The bot's next message, which must be encrypted and as the specification has it.
            func good(_ more: [String: Any] = [:]) async throws -> EncryptedPeer.Heard {
                let heard = try await peer.hear(bot, more)
                #expect(heard.isDecrypted && heard.problems.isEmpty, "\(heard.problems)")
                return heard
            }
        }

        @Test func `the first word in its first room is read: it enters when its keys are there`() async throws {
            let stage = try await Stage("crypt_first")
            let made = try await stage.peer.take("create_room", ["invite": ["${bot}"], "encrypted": true])
            try await withBot(stage.config()) { _ in
                try await stage.peer.take("wait_member", ["user": stage.bot])
                let (asked, answer) = try await stage.ask("!gif party", ["room": made["room_id"].text ?? ""])
                #expect(answer.content["m.relates_to", "m.in_reply_to", "event_id"].text == asked)
            }
        }

        @Test func `an image in an encrypted room, before and after a new session`() async throws {
            let stage = try await Stage("crypt_image")
            try await withBot(stage.config(media: "image")) { _ in
                try await stage.peer.follow("gif-encrypted.jsonl")
            }
        }

        @Test func `the bot's device is cross-signed, for clients that leave out others`() async throws {
            let stage = try await Stage("crypt_identity")
            try await withBot(stage.config(media: "image")) { bot in
                try await stage.peer.follow("gif-identity.jsonl")
                for file in try FileManager.default.contentsOfDirectory(atPath: bot.folder.path + "/state") {
                    guard file.contains("key") else { continue }
                    let attributes = try FileManager.default.attributesOfItem(
                        atPath: bot.folder.path + "/state/" + file)
                    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(file)")
                }
            }
        }

        @Test("BUG-04: edits, redactions, marks and threads in an encrypted room")
        func relations() async throws {
            let stage = try await Stage("crypt_relations")
            try await withBot(stage.config(more: ["buttons: true"])) { _ in
                try await stage.room()
                let (asked, answer) = try await stage.ask()
                #expect(answer.content["m.relates_to", "m.in_reply_to", "event_id"].text == asked)
                let mark = try await stage.peer.hear(stage.bot, ["type": "m.reaction"])
                #expect(mark.content["m.relates_to", "event_id"].text == answer.id && !mark.isDecrypted)
                let wire = try await stage.peer.take("get_event", ["event": answer.id])
                #expect(wire["event", "type"].text == "m.room.encrypted")

                try await stage.peer.take("edit", ["event": asked, "text": "!gif happy"])
                let edit = try await stage.good(["contains": "m.replace"])
                #expect(edit.content["m.relates_to", "event_id"].text == answer.id)
                let sealed = try await stage.peer.take("get_event", ["event": edit.id])
                #expect(sealed["event", "content", "m.relates_to", "event_id"].text == answer.id)
                #expect(sealed["event", "content", "m.new_content"].value == nil)

                try await stage.peer.take("react", ["event": answer.id, "key": "🔁"])
                #expect(
                    try await stage.good(["contains": "m.replace"]).content["m.relates_to", "event_id"].text
                        == answer.id)
                try await stage.peer.take("redact", ["event": asked])
                try await stage.peer.take("wait", ["from": stage.bot, "type": "m.room.redaction", "seconds": 20])

                let root = try await stage.peer.take("send", ["text": "a topic"])["event_id"].text ?? ""
                let (_, threaded) = try await stage.ask("!gif party", ["thread": root])
                #expect(threaded.content["m.relates_to", "rel_type"].text == "m.thread")
                #expect(threaded.content["m.relates_to", "event_id"].text == root)
            }
        }

        @Test func `switched on in a plain room, encryption holds from then on, and clear text is left alone`()
            async throws
        {
            let stage = try await Stage("crypt_later")
            let folder = try TemporaryFolder()
            try await withBot(stage.config(), in: folder) { _ in
                let room = try await stage.room([:])
                try await stage.peer.take("send", ["text": "!gif party"])
                #expect(try await !stage.peer.hear(stage.bot).isDecrypted)
                try await stage.peer.take(
                    "state", ["type": "m.room.encryption", "content": ["algorithm": "m.megolm.v1.aes-sha2"]])
                try await stage.peer.take("wait_encrypted")
                _ = try await stage.ask()
                // As a server could put it into somebody's mouth.
                try await stage.peer.take(
                    "raw",
                    [
                        "method": "PUT", "path": "/_matrix/client/v3/rooms/\(room)/send/m.room.message/clear",
                        "body": ["msgtype": "m.text", "body": "!gif party"],
                    ])
                _ = try await stage.ask("!gif happy")
                let seen = try await stage.peer.take("seen", ["from": stage.bot])["events"].list
                #expect(seen.filter { $0["type"].text == "m.room.message" }.count == 3)
            }
            // Switched off in the config: not a word, and none in clear.
            try await withBot(stage.config(more: ["encryption: false"]), in: folder) { bot in
                try await bot.logs("the encrypted room") { $0.contains("an encrypted room is left alone") }
                try await stage.peer.take("send", ["text": "!gif party"])
                try await stage.peer.take("expect_none", ["from": stage.bot, "seconds": 3])
            }
        }

        @Test func `a key that comes late is waited for, one that is withheld isn't`() async throws {
            let stage = try await Stage("crypt_late")
            try await withBot(stage.config()) { bot in
                try await stage.room()
                _ = try await stage.ask()
                try await stage.peer.take("hold_key")
                try await stage.peer.take("send", ["text": "!gif party"])
                try await bot.logs("what can't be read") { $0.contains("a message can't be read yet") }
                try await stage.peer.take("give_key")
                _ = try await stage.good()

                try await stage.peer.take("new_megolm")
                try await stage.peer.take("block_device", ["user": stage.bot])
                try await stage.peer.take("send", ["text": "!gif party"])
                try await stage.peer.take("withhold", ["user": stage.bot])
                try await bot.logs("the refusal") { $0.contains("a key is withheld") && $0.contains("m.unverified") }
                try await stage.peer.take("expect_none", ["from": stage.bot, "seconds": 2])
                try await stage.peer.take("block_device", ["user": stage.bot, "on": false])
                try await stage.peer.take("new_megolm")
                _ = try await stage.ask()
            }
        }

        @Test func `started again it is the same device, and reads on`() async throws {
            let stage = try await Stage("crypt_again")
            let folder = try TemporaryFolder()
            var room = ""
            try await withBot(stage.config(), in: folder) { _ in
                room = try await stage.room()
                _ = try await stage.ask()
            }
            // Said while it was away.
            let asked = try await stage.peer.take("send", ["text": "!gif party"])["event_id"].text
            try await withBot(stage.config(), in: folder) { bot in
                #expect(try await stage.good().content["m.relates_to", "m.in_reply_to", "event_id"].text == asked)
                _ = try await stage.ask("!gif happy", ["room": room])
                #expect(!bot.program.errors.contains("logged in"))
            }
            let devices = try await stage.peer.take("identity", ["user": stage.bot])["devices"].list
            #expect(devices.count == 1 && devices[0]["cross_signed"].flag)
        }

        @Test func `with its keys lost it becomes another device, and answers`() async throws {
            let stage = try await Stage("crypt_lost")
            let folder = try TemporaryFolder()
            try await withBot(stage.config(), in: folder) { _ in
                try await stage.room()
                _ = try await stage.ask()
            }
            let state = folder.path + "/state"
            for file in try FileManager.default.contentsOfDirectory(atPath: state) where file.hasPrefix("keys-") {
                try FileManager.default.removeItem(atPath: state + "/" + file)
            }
            try await withBot(stage.config(), in: folder) { bot in
                try await bot.logs("that they are lost") { $0.contains("a new device is logged in") }
                // Before that the peer's key goes to the old one alone.
                try await stage.peer.take("wait_devices", ["user": stage.bot, "count": 2])
                try await stage.peer.take("new_megolm")
                _ = try await stage.ask()
                #expect(!bot.program.errors.contains("already exists"))
            }
        }

        @Test func `who comes can read on, and who left can't`() async throws {
            let stage = try await Stage("crypt_members")
            let store = try TemporaryFolder()
            let bo = try await EncryptedPeer("bo_crypt_members", on: stage.server, store: store)
            try await withBot(stage.config()) { _ in
                let room = try await stage.room()
                let (_, first) = try await stage.ask()
                try await stage.peer.take("invite", ["user": bo.id])
                try await bo.take("join")
                try await stage.peer.take("wait_member", ["user": bo.id])
                let (_, second) = try await stage.ask()
                let heard = try await bo.hear(stage.bot, ["room": room])
                #expect(heard.id == second.id && heard.isDecrypted)
                try await bo.take("leave", ["room": room])
                try await stage.peer.take("wait_member", ["user": bo.id, "membership": "leave"])
                let (_, third) = try await stage.ask()
                #expect(first.session == second.session && third.session != second.session)
            }
        }
    }
}
