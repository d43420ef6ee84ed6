import Foundation
import Testing

extension EndToEnd {
    /// What happens to a bot in its life, on each server that networks run, each with its own login.
    @Suite struct Field {
        private let nick = "gif_field"
        private let channel = "#field"
        /// For a slow machine; what is waited for takes a second or two.
        private let patience = Duration.seconds(60)

        private func config(
            _ server: ServerScript, _ giphy: FakeGiphy, nick: String, channel: String, authority: Bool = true,
            login: [String]
        ) -> String {
            let lines = [
                "name: lab", "host: localhost", "port: \(server.number("TLS_PORT"))",
                authority ? "tls: {ca_file: \"\(server["CA"])\"}" : "tls: {enabled: true}", "nick: \(nick)",
                "channels: [\"\(channel)\"]", "flood_control: off", "rejoin: {first: 1s, longest: 2s}",
                "reconnect: {first: 1s, longest: 2s}",
            ]
            let network = (lines + login).enumerated().map { ($0 == 0 ? "  - " : "    ") + $1 }
            return ([Config.head(), "irc:"] + network + [Config.giphy(giphy)]).joined(separator: "\n")
        }

        private func answers(_ word: String, to peer: IRCPeer, in channel: String, from nick: String) async throws {
            let mark = peer.mark
            peer.say("!gif \(word)", to: channel)
            let line = try await peer.answer(of: nick, from: mark, within: patience)
            #expect(line.command == "PRIVMSG" && line.parameters.first == channel, "\(line)")
            #expect(throws: Never.self) { try Answer(line.text) }
        }

        @Test(
            "S7, BUG-12: verified TLS, login, an answer, a kick, the loss of the server", arguments: IRCServer.all)
        func life(kind: IRCServer) async throws {
            let server = try await kind.start()
            let giphy = try await FakeGiphy.shared.get()
            try await giphy.reset()
            let login = kind.login(server)
            let ada = try await kind.peer("ada", on: server)
            try await ada.join(channel)

            // The server's authority is nobody's but this folder's: without it the bot does not come in.
            let stranger = config(server, giphy, nick: nick, channel: channel, authority: false, login: login)
            try await withBot(stranger) { bot in
                try await bot.logs("a word about the certificate", within: patience) {
                    $0.lowercased().contains("certificate")
                }
            }
            #expect(!ada.lines.contains { $0.nick == nick })

            try await withBot(config(server, giphy, nick: nick, channel: channel, login: login)) { bot in
                try await ada.hearJoin(of: nick, within: patience)
                ada.send("WHOIS \(nick)")
                // ngIRCd has a number of its own for it.
                try await ada.hear("a TLS connection", within: patience) { ["671", "275"].contains($0.command) }
                if kind.hasServices {
                    try await ada.hear("the account of the bot", within: patience) {
                        $0.command == "330" && $0.parameters.contains(server["ACCOUNT"])
                    }
                }
                try await answers("party", to: ada, in: channel, from: nick)

                let kicked = ada.mark
                ada.send("KICK \(channel) \(nick) :out")
                try await ada.hear("the kick", from: kicked, within: patience) { $0.command == "KICK" }
                try await ada.hearJoin(of: nick, from: kicked, within: patience)
                try await answers("kicked", to: ada, in: channel, from: nick)

                let lost = bot.program.errors.count
                try await server.tell("lose", [kind.name])
                try await bot.logs("that the server is gone", from: lost, within: patience) {
                    $0.contains("no connection")
                }
                try await server.tell("again", [kind.name])
                let bo = try await kind.peer("bo", on: server)
                try await bo.join(channel)
                // Whoever of the two came first.
                try await bo.hear("that the bot is back", within: .seconds(90)) {
                    $0.command == "JOIN" && $0.nick == nick || $0.command == "353" && $0.text.contains(nick)
                }
                try await answers("back", to: bo, in: channel, from: nick)

                #expect(try await bot.stop() == 0)
                for secret in [kind.password, server["PASSWORD"]] where !secret.isEmpty {
                    #expect(!bot.program.errors.lines.contains { $0.contains(secret) })
                }
            }
            #expect(try await giphy.searches == ["party", "kicked", "back"])
            try await server.stop()
        }

        @Test("C11, T2, T4: behind ZNC, neither what it replays nor our own words are answered")
        func bouncer() async throws {
            let kind = IRCServer.ngircd
            let upstream = try await IRCServer(name: kind.name).start()
            let giphy = try await FakeGiphy.shared.get()
            try await giphy.reset()
            let ada = try await IRCPeer(nick: "ada", port: upstream.number("PORT"))
            try await ada.join("#bnc")
            let bouncer = try await ServerScript.kept(
                "znc.py", ["--upstream", upstream.folder, "--channel", "#bnc"])
            let nick = bouncer["NICK"]
            try await ada.hearJoin(of: nick, within: patience)
            ada.say("!gif old", to: "#bnc")
            // Another client of the same bouncer, with the same nick as the bot.
            let twin = try await IRCPeer(nick: nick, port: bouncer.number("PORT"), password: bouncer["PASS"])
            try await twin.hear("the old command", within: patience) {
                $0.command == "PRIVMSG" && $0.text.contains("!gif old")
            }

            let text = config(
                bouncer, giphy, nick: nick, channel: "#bnc", login: ["password: \"\(bouncer["PASS"])\""])
            for words in [["new", "last", "alone"], ["second", "end", "private"]] {
                try await withBot(text) { bot in
                    try await bot.logs("that it is in", within: patience) { $0.contains("joined") }
                    // It comes after what is replayed.
                    try await answers(words[0], to: ada, in: "#bnc", from: nick)
                    let mark = ada.mark
                    twin.say("!gif mine", to: "#bnc")
                    try await ada.hear("the twin", from: mark, within: patience) {
                        $0.nick == nick && $0.text == "!gif mine"
                    }
                    try await answers(words[1], to: ada, in: "#bnc", from: nick)
                    // ZNC replays this to the next one who comes, with no mark but its time.
                    let asked = ada.mark
                    ada.say("gif \(words[2])", to: nick)
                    _ = try await ada.answer(of: nick, from: asked, within: patience)
                    #expect(try await bot.stop() == 0)
                }
            }
            // All that was there to be mistaken for new.
            let third = try await IRCPeer(nick: nick, port: bouncer.number("PORT"), password: bouncer["PASS"])
            for words in ["!gif old", "!gif new", "gif alone"] {
                try await third.hear("\(words), once more", within: patience) { $0.text.hasSuffix(words) }
            }
            #expect(try await giphy.searches == ["new", "last", "alone", "second", "end", "private"])
            for script in [bouncer, upstream] { try await script.stop() }
        }
    }
}
