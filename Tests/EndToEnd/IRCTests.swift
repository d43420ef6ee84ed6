import Foundation
import Testing

extension EndToEnd {
    /// A channel on InspIRCd, over verified TLS, signed in to atheme by SASL PLAIN.
    @Suite struct IRC {
        struct Stage {
            let server: InspIRCd
            let giphy: FakeGiphy
            let peer: IRCPeer
            let nick: String
            let channel: String

            /// A person is in the channel, as its operator; the bot may come.
            init(_ name: String) async throws {
                server = try await InspIRCd.shared.get()
                giphy = try await FakeGiphy.shared.get()
                try await giphy.reset()
                nick = "gif_\(name)"
                channel = "#\(name)"
                peer = try await IRCPeer(nick: "ada_\(name)", port: server.plainPort)
                try await peer.join(channel)
            }

            func config(limits: String = Config.noLimits, authority: String? = nil, more: [String] = []) -> String {
                [
                    Config.head(limits: limits), "irc:",
                    Config.irc(server, nick: nick, channels: [channel], authority: authority, more: more),
                    Config.giphy(giphy),
                ].joined(separator: "\n")
            }

            /// The bot leaves in good order; all it ever said to the peer is here then.
            func everythingSaid(by bot: Bot) async throws -> [IRCLine] {
                let nick = self.nick
                #expect(try await bot.stop() == 0)
                try await peer.hear("\(nick) to quit") { $0.command == "QUIT" && $0.nick == nick }
                return peer.messages(of: nick)
            }
        }

        @Test func `!gif party is answered once, with the true dimensions of what is at the URL`() async throws {
            let stage = try await Stage("party")
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.say("!gif party", to: stage.channel)
                let line = try await stage.peer.answer(of: stage.nick, from: 0)
                #expect(line.command == "PRIVMSG")
                #expect(line.parameters.first == stage.channel)
                let answer = try Answer(line.text)
                #expect(answer.credit == "GIPHY")
                #expect(answer.title.hasPrefix("Party Number"))
                let header = try await answer.header()
                #expect(header == GIFHeader(width: answer.width, height: answer.height))

                stage.peer.send("WHOIS \(stage.nick)")
                try await stage.peer.hear("the account of the bot") {
                    $0.command == "330" && $0.parameters.contains(stage.server.account)
                }
                try await stage.peer.hear("a TLS connection") { $0.command == "671" }
                #expect(try await stage.everythingSaid(by: bot).count == 1)
            }
            let searches = try await stage.giphy.requests.filter { $0.path == "/v1/gifs/search" }
            #expect(searches.map { $0.query["q"] } == ["party"])
            #expect(searches.allSatisfy { $0.query["rating"] == "g" })
        }

        @Test func `other forms of address work, and notices and actions do not`() async throws {
            let stage = try await Stage("forms")
            let words = ["alpha", "beta", "gamma", "delta", "omega"]
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.send("NOTICE \(stage.channel) :!gif notice")
                stage.peer.say("\u{1}ACTION !gif action\u{1}", to: stage.channel)
                stage.peer.say("!gifs plural", to: stage.channel)
                stage.peer.say("look at !gif middle", to: stage.channel)
                let lines = [
                    "\(stage.nick): gif alpha", "\(stage.nick), gif beta", "!GIF  gamma ", "\u{2}!gif\u{2} delta",
                    "!gif\u{A0}omega",
                ]
                for line in lines {
                    let mark = stage.peer.mark
                    stage.peer.say(line, to: stage.channel)
                    let heard = try await stage.peer.answer(of: stage.nick, from: mark)
                    #expect(throws: Never.self) { try Answer(heard.text) }
                }
                #expect(try await stage.everythingSaid(by: bot).count == lines.count)
            }
            #expect(try await stage.giphy.searches == words)
        }

        @Test func `!gif alone gets one usage line as a notice and no search`() async throws {
            let stage = try await Stage("usage")
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.say("!gif", to: stage.channel)
                let line = try await stage.peer.answer(of: stage.nick, from: 0)
                #expect(line.command == "NOTICE")
                #expect(line.text.contains("!gif"))
                #expect(!line.text.hasPrefix("!"))
                #expect(try await stage.everythingSaid(by: bot).count == 1)
            }
            #expect(try await stage.giphy.searches.isEmpty)
        }

        @Test func `a private message needs no prefix`() async throws {
            let stage = try await Stage("private")
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.say("gif party", to: stage.nick)
                let line = try await stage.peer.answer(of: stage.nick, from: 0)
                #expect(line.parameters.first == stage.peer.nick)
                #expect(throws: Never.self) { try Answer(line.text) }
            }
        }

        @Test func `a limit is told once, with the seconds, as a notice`() async throws {
            let stage = try await Stage("limits")
            let limits = "{user: 2/10m, channel: off, user_in_channel: off, network: off, global: off}"
            try await withBot(stage.config(limits: limits)) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                for word in ["one", "two", "three", "four", "five"] {
                    stage.peer.say("!gif \(word)", to: stage.channel)
                }
                try await stage.peer.hear("a refusal") { $0.command == "NOTICE" && $0.nick == stage.nick }
                let said = try await stage.everythingSaid(by: bot)
                let answers = said.filter { $0.command == "PRIVMSG" }
                let refusals = said.filter { $0.command == "NOTICE" }
                #expect(answers.count == 2)
                #expect(refusals.count == 1)
                #expect(refusals.first?.text.contains(#/\d+/#) == true)
            }
            #expect(try await stage.giphy.searches.sorted() == ["one", "two"])
        }

        @Test("BUG-12: kicked, it waits, comes back and answers again")
        func kicked() async throws {
            let stage = try await Stage("kicked")
            try await withBot(stage.config(more: ["rejoin: {first: 1s, longest: 2s}"])) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                let mark = stage.peer.mark
                let began = ContinuousClock.now
                stage.peer.send("KICK \(stage.channel) \(stage.nick) :out")
                try await stage.peer.hearJoin(of: stage.nick, from: mark)
                #expect(began.duration(to: .now) > .milliseconds(300))
                stage.peer.say("!gif party", to: stage.channel)
                let line = try await stage.peer.answer(of: stage.nick, from: mark)
                #expect(throws: Never.self) { try Answer(line.text) }
            }
        }

        @Test func `a nick in use gives way to the alternative`() async throws {
            let stage = try await Stage("nick")
            let other = try await IRCPeer(nick: stage.nick, port: stage.server.plainPort)
            try await withBot(stage.config(more: ["alternative_nicks: [gif_second]"])) { bot in
                try await stage.peer.hearJoin(of: "gif_second")
                stage.peer.say("gif_second: gif party", to: stage.channel)
                let line = try await stage.peer.answer(of: "gif_second", from: 0)
                #expect(throws: Never.self) { try Answer(line.text) }
            }
            #expect(other.nick == stage.nick)
        }

        @Test("BUG-07: line ends in a title make no second line")
        func lineEnds() async throws {
            let stage = try await Stage("title")
            try await stage.giphy.items(titles: ["nice cat\r\nQUIT :bye\u{0}\u{202E}"])
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.say("!gif party", to: stage.channel)
                let first = try await stage.peer.answer(of: stage.nick, from: 0)
                #expect(first.text.contains("nice cat"))
                #expect(!first.text.contains("\u{202E}"))
                stage.peer.say("!gif again", to: stage.channel)
                let said = try await eventually("a second answer") {
                    stage.peer.messages(of: stage.nick).count > 1 ? stage.peer.messages(of: stage.nick) : nil
                }
                #expect(said.count == 2)
                #expect(!stage.peer.lines.contains { $0.command == "QUIT" && $0.nick == stage.nick })
            }
        }

        @Test("BUG-05: a line that is not UTF-8 is understood")
        func latin1() async throws {
            let stage = try await Stage("latin")
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.sendBytes(Array("PRIVMSG \(stage.channel) :!gif caf".utf8) + [0xE9])
                let line = try await stage.peer.answer(of: stage.nick, from: 0)
                #expect(throws: Never.self) { try Answer(line.text) }
            }
            #expect(try await stage.giphy.searches == ["café"])
        }

        @Test("BUG-24: signs in the words reach the source unharmed")
        func signs() async throws {
            let stage = try await Stage("signs")
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.say("!gif c++ & c#? 100%/½ 🐱", to: stage.channel)
                _ = try await stage.peer.answer(of: stage.nick, from: 0)
            }
            let raw = try await stage.giphy.requests.first { $0.path == "/v1/gifs/search" }?.raw ?? ""
            #expect(raw.contains("q=c%2B%2B%20%26%20c%23%3F%20100%25%2F%C2%BD%20%F0%9F%90%B1"))
        }

        @Test("BUG-23: nothing above the rating is shown")
        func ratings() async throws {
            let stage = try await Stage("ratings")
            try await stage.giphy.items(ratings: ["r", "R", "pg-13", "pg"])
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.say("!gif party", to: stage.channel)
                let unsuitable = try await stage.peer.answer(of: stage.nick, from: 0)
                #expect(unsuitable.command == "NOTICE")
                #expect(!unsuitable.text.contains("http"))
            }
        }

        @Test("BUG-26: many who ask for one thing cost one search, and get different GIFs")
        func stampede() async throws {
            let stage = try await Stage("crowd")
            try await stage.giphy.fail("slow", seconds: 0.5)
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                for _ in 0..<8 { stage.peer.say("!gif crowd", to: stage.channel) }
                try await eventually("eight answers") { stage.peer.messages(of: stage.nick).count == 8 }
                let urls = stage.peer.messages(of: stage.nick).map { $0.text.split(separator: " ").last ?? "" }
                #expect(Set(urls).count == 8)
            }
            #expect(try await stage.giphy.searches == ["crowd"])
        }
    }
}

extension GIFHeader {
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
