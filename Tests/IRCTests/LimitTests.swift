import IRC
import Testing

@testable import IRC

@Suite("IRC: limits of lines and of servers")
struct LimitTests {
    private static func server(_ change: (inout IRCSettings) -> Void = { _ in }, lines: [String] = []) -> Server {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = [IRCSettings.Channel("#cats")]
        settings.flood = nil
        change(&settings)
        return Server(settings, lines: lines)
    }

    private static func say(_ text: String, _ server: inout Server, to target: String = "#cats") -> String? {
        _ = server.session.say(text, to: target, notice: false, at: server.now, &server.effects)
        return server.sent().last
    }

    @Test("L1, L2: no line is longer than others receive it, whatever is said", arguments: [0, 1, 399, 400, 401, 5000])
    func lineLength(count: Int) throws {
        var server = Self.server(lines: [":irc.test 396 gifbot \(String(repeating: "h", count: 63)) :your host"])
        let line = try #require(Self.say(String(repeating: "x", count: count), &server))
        #expect(
            ":gifbot!\(String(repeating: "u", count: 10))@\(String(repeating: "h", count: 63)) \(line)\r\n".utf8.count
                <= 512)
    }

    @Test(
        "L3: cut between characters as people see them, and never inside a URL",
        arguments: [
            ("one https://x.test/a/long/address", 20, "one"), ("one https://x.test/a", 20, "one https://x.test/a"),
            ("one two", 5, "one t"), ("https://x.test/a", 5, ""), ("a https://x.test/a b", 18, "a https://x.test/a"),
            ("a https://x.test/a b", 19, "a https://x.test/a "), ("ab e\u{301}", 5, "ab "), ("♥♥♥", 8, "♥♥"),
        ])
    func cut(text: String, budget: Int, cut: String) {
        #expect(text.cutBeforeURL(toBytes: budget) == cut)
        #expect(text.cutBeforeURL(toBytes: budget).utf8.count <= budget)
    }

    @Test("L4: CR, LF and NUL from anywhere never make a second line")
    func injection() throws {
        var server = Self.server()
        #expect(Self.say("a\r\nQUIT :b\0c\rd\ne", &server) == "PRIVMSG #cats :a  QUIT :bc d e")
        let reference = AnswerReference(id: "a\r\nQUIT", request: "a b\r\n;c=\\", channel: "#x\r\nQUIT y")
        server.receive([":irc.test CAP gifbot NEW :message-tags", ":irc.test CAP gifbot ACK :message-tags"])
        _ = server.sent()
        _ = server.session.say("x", to: "bo", notice: true, as: reference, at: server.now, &server.effects)
        #expect(
            server.sent() == [
                "@+reply=a\\sb\\r\\n\\:c\\=\\\\;+draft/reply=a\\sb\\r\\n\\:c\\=\\\\;+channel-context=#x\\r\\nQUIT\\sy"
                    .replacing("\\=", with: "=")
                    + ";+draft/channel-context=#x\\r\\nQUIT\\sy NOTICE bo :x"
            ])
    }

    @Test("L5: 8191 bytes of tags come through; of ours no more than 4094 go out")
    func tags() throws {
        var server = Self.server(lines: [
            ":irc.test CAP gifbot NEW :message-tags", ":irc.test CAP gifbot ACK :message-tags",
        ])
        let tags = "@a=" + String(repeating: "x", count: 8191 - 3 - 1 - 9) + ";msgid=m1"
        #expect(tags.utf8.count == 8190)
        server.receive(["\(tags) :bo!b@h PRIVMSG #cats :!gif owl"])
        guard case .emit(.message(let message))? = server.effects.last else {
            Issue.record("no message")
            return
        }
        #expect(message.id == "m1")
        _ = server.sent()
        let reference = AnswerReference(request: String(repeating: "x", count: 4080))
        _ = server.session.say("y", to: "#cats", notice: false, as: reference, at: server.now, &server.effects)
        let line = try #require(server.sent().last)
        #expect(line.hasSuffix(" PRIVMSG #cats :y"))
        #expect(line.utf8.count - " PRIVMSG #cats :y".utf8.count <= 4095)
    }

    @Test("L5: rules of CLIENTTAGDENY")
    func clientTags() {
        #expect(ClientTagRule().allows("reply"))
        #expect(!ClientTagRule("*").allows("reply"))
        #expect(ClientTagRule("*,-reply").allows("reply"))
        #expect(!ClientTagRule("*,-reply").allows("typing"))
        #expect(!ClientTagRule("typing").allows("typing"))
        #expect(ClientTagRule("typing,-x").allows("x"))
        #expect(ClientTagRule("").allows("typing"))
    }

    @Test("C3: a long list is asked for in pieces that each fit an ACK")
    func requests() {
        var capabilities = Capabilities()
        capabilities.offer(Capabilities.known.sorted().joined(separator: " "))
        let requests = capabilities.request(withLogin: true)
        #expect(requests.allSatisfy { $0.utf8.count <= 380 })
        #expect(requests.flatMap { $0.split(separator: " ") }.count == Capabilities.known.count)
    }

    @Test("C15: tokens are read, told again, and taken back")
    func support() {
        var support = ServerSupport()
        for token in ["CHANLIMIT=#&:50,+:", "TARGMAX=PRIVMSG:4,JOIN:2", "MONITOR=100", "WHOX", "BOT=B", "NICKLEN=9"] {
            support.apply(token)
        }
        #expect(support.channelLimits.map(\.limit) == [50])
        #expect(support.targets(of: "JOIN") == 2)
        #expect(support.hasMonitor && support.hasWhox)
        #expect(support.nickLength == 9)
        for token in [
            "-CHANLIMIT", "-TARGMAX", "-MONITOR", "-WHOX", "-BOT", "-NICKLEN", "-UNKNOWN", "", "-", "=", "A=",
        ] {
            support.apply(token)
        }
        #expect(support.channelLimits.isEmpty && support.targets(of: "JOIN") == .max && support.nickLength == nil)
        #expect(!support.hasMonitor && !support.hasWhox && support.botMode == nil)
    }

    @Test("C18: TARGMAX knows the commands, whatever the older MAXTARGETS says for all of them, before it or after")
    func targets() {
        for tokens in [["MAXTARGETS=20", "TARGMAX=JOIN:4,PART:,x"], ["TARGMAX=join:4,PART:,x", "MAXTARGETS=20"]] {
            var support = ServerSupport()
            for token in tokens { support.apply(token) }
            #expect(support.targets(of: "JOIN") == 4)
            #expect(support.targets(of: "PART") == .max)
            #expect(support.targets(of: "KICK") == 20)
            support.apply("-TARGMAX")
            #expect(support.targets(of: "JOIN") == 20)
        }
    }

    @Test("C16: a casemapping that isn't known holds marks apart; none at all is rfc1459")
    func casemapping() {
        #expect(Casemapping(serverName: "RFC1459") == .rfc1459)
        #expect(Casemapping(serverName: "rfc8265") == .ascii)
        #expect(ServerSupport().casemapping == .rfc1459)
    }

    @Test(
        "S11: the text of a netsplit",
        arguments: [
            ("hub.example.org leaf.example.org", true), ("*.net *.split", true), ("Quit: bye. now.", false),
            ("hub.example.org", false), ("a.b c.d e.f", false), ("see http://x.test/ x.test", false), ("", false),
            (". .", false), ("Ping timeout", false),
        ])
    func netsplit(text: String, isSplit: Bool) {
        #expect(IRCSession.isNetsplit(text) == isSplit)
    }

    @Test(
        "T12: TIME in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_341_100_799_419, "2012-06-30T23:59:59Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00Z"), (1_796_032_800_000, "2026-11-30T10:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"), (4_102_444_799_999, "2099-12-31T23:59:59Z"),
        ] as [(Int64, String)])
    func time(milliseconds: Int64, text: String) {
        #expect(ServerTime.text(milliseconds) == text)
        if milliseconds >= 0 { #expect(ServerTime.milliseconds(text) == milliseconds / 1000 * 1000) }
    }
}
