import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The commands beside `run`, and what happens to a config while the bot is at work.
    @Suite struct ProgramTests {
        typealias Stage = EndToEnd.IRC.Stage

        @Test("A change of the file is taken up by itself: channels are joined and left without a new connection")
        func watched() async throws {
            let stage = try await Stage("watched")
            let other = "#watched2"
            try await stage.peer.join(other)
            let before = stage.config()
            let after = before.replacing("[\"\(stage.channel)\"]", with: "[\"\(other)\"]")
            try await withBot(before) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                try bot.rewrite(after)
                try await self.moves(bot, stage, to: other)
            }
        }

        private func moves(_ bot: Bot, _ stage: Stage, to other: String) async throws {
            let (nick, channel) = (stage.nick, stage.channel)
            try await bot.logs("what changed") {
                $0.contains("settings reloaded because=file") && $0.contains("lab: joins \(other), leaves")
            }
            try await stage.peer.hear("the bot to join") {
                $0.command == "JOIN" && $0.nick == nick && $0.parameters.first == other
            }
            try await stage.peer.hear("the bot to leave") {
                $0.command == "PART" && $0.nick == nick && $0.parameters.first == channel
            }
            let mark = stage.peer.mark
            stage.peer.say("!gif party", to: other)
            _ = try await stage.peer.answer(of: nick, from: mark)
            #expect(!stage.peer.lines.contains { $0.command == "QUIT" && $0.nick == nick })
        }

        @Test("check --live tries the login and the key, joins nothing and tells no secret")
        func live() async throws {
            let stage = try await Stage("live")
            let folder = try TemporaryFolder()
            try folder.write(stage.config(), to: "bot.yaml")
            let good = try await gifbot(["check", "--live"], in: folder)
            #expect(good.output.contains("ok   lab: registered over TLS, logged in"), "\(good.output) \(good.errors)")
            #expect(good.output.contains { $0.hasPrefix("ok   giphy: answers; ") }, "\(good.output) \(good.errors)")
            #expect(good.code == 0)
            #expect(!stage.peer.lines.contains { $0.command == "JOIN" && $0.nick != stage.peer.nick })
            try folder.write(
                stage.config().replacing(stage.server.password, with: "not-the-password"), to: "bot.yaml")
            let bad = try await gifbot(["check", "--live"], in: folder)
            #expect(bad.output.contains { $0.hasPrefix("BAD  lab: ") }, "\(bad.output) \(bad.errors)")
            #expect(bad.code == 1)
            let all = (good.output + good.errors + bad.output + bad.errors).joined()
            #expect(!all.contains(stage.server.password) && !all.contains("not-the-password"))
            #expect(!all.contains(FakeGiphy.key))
        }

        @Test("check --live tries a Matrix account on Synapse, and tells no secret")
        func liveMatrix() async throws {
            let stage = try await EndToEnd.Matrix.Stage("livematrix")
            let folder = try TemporaryFolder()
            try folder.write(stage.config(), to: "bot.yaml")
            let good = try await gifbot(["check", "--live"], in: folder)
            // The name is masked, since here it is the password too.
            #expect(
                good.output.contains { $0.hasPrefix("ok ") && $0.contains("the password is good, as @") },
                "\(good.output.suffix(5)) \(good.errors)")
            #expect(good.code == 0, "\(good.output) \(good.errors)")
            try folder.write(stage.config(secret: "password: not-the-password"), to: "bot.yaml")
            let bad = try await gifbot(["check", "--live"], in: folder)
            #expect(bad.output.contains { $0.hasPrefix("BAD ") && $0.contains("can't log in: 403 M_FORBIDDEN") })
            #expect(bad.code == 1)
            #expect(!(bad.output + bad.errors).joined().contains("not-the-password"))
        }

        @Test("init writes a config that passes the check, for its owner alone, and never over another")
        func initialize() async throws {
            let folder = try TemporaryFolder()
            let answers = ["", "", "", "", "", "", "", "", ""]
            let first = try await gifbot(["init"], input: answers, in: folder)
            #expect(first.code == 0, "\(first.output) \(first.errors)")
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/bot.yaml")[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let text = try folder.read("bot.yaml")
            let check = try await gifbot(["check"], in: folder)
            #expect(check.code == 0)
            let second = try await gifbot(["init"], in: folder)
            #expect(second.code == 1)
            #expect(try folder.read("bot.yaml") == text)
        }

        @Test("A login that comes to nothing is told by the exit code")
        func login() async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                matrix:
                  - {name: m, homeserver: "http://127.0.0.1:1", user: "@gifbot:localhost"}
                """, to: "bot.yaml")
            let failed = try await gifbot(["login"], in: folder)
            #expect(failed.code == 1, "\(failed.output) \(failed.errors)")
        }

        @Test("index makes an index, and the console finds what only the index knows")
        func index() async throws {
            let folder = try TemporaryFolder()
            let gifs = folder.path + "/gifs/deep"
            try FileManager.default.createDirectory(atPath: gifs, withIntermediateDirectories: true)
            var bytes = Array("GIF89a".utf8) + [5, 0, 4, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
            for _ in 0..<2 { bytes += [0x2C, 0, 0, 0, 0, 5, 0, 4, 0, 0, 2, 2, 0x4C, 1, 0] }
            try Data(bytes + [0x3B]).write(to: URL(fileURLWithPath: gifs + "/owl.gif"))
            try folder.write("search: {folder: {path: gifs}}", to: "bot.yaml")
            let made = try await gifbot(["index", "gifs"], in: folder)
            #expect(made.code == 0)
            #expect(
                made.output.first == "1 moving pictures, 0 still ones left out; 1 files read, 0 forgotten",
                "\(made.output) \(made.errors)")
            let talk = try await gifbot(["chat", "--config", "bot.yaml"], input: ["!gif owl"], in: folder)
            #expect(
                talk.output.contains { $0.contains("/gifs/deep/owl.gif") && $0.contains("5×4") },
                "\(talk.output) \(talk.errors)")
            let none = try await gifbot(["index", "nowhere"], in: folder)
            #expect(none.code == 1)
        }
    }
}
