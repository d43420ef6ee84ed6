import IRC
import Testing

@Suite("BUG-06: lines as others receive them")
struct BudgetTests {
    private static func server(_ lines: [String] = []) -> Server {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = [IRCSettings.Channel("#cats")]
        settings.flood = nil
        return Server(settings, lines: lines)
    }

    private static let host = String(repeating: "h", count: 63)

    @Test("the longest address is assumed until ours is known")
    func unknownAddress() {
        // `:gifbot!` and 10 + `@` + 63 and a blank, `PRIVMSG #cats :`, CR LF.
        #expect(Self.server().session.textBudget(for: "#cats", notice: false) == 512 - 8 - 10 - 1 - 63 - 1 - 15 - 2)
        #expect(Self.server().session.textBudget(for: "#cats", notice: true) == 413)
    }

    @Test("ours is learnt from JOIN, 396, CHGHOST and NAMES, and the budget follows")
    func knownAddress() {
        var server = Self.server()
        server.receive([":gifbot!~gifbot@\(Self.host) JOIN #cats"])
        #expect(server.session.textBudget(for: "#cats", notice: false) == 415)
        server.receive([":irc.test 396 gifbot user/gifbot :is now your displayed host"])
        #expect(server.session.textBudget(for: "#cats", notice: false) == 415 + 63 - 11)
        server.receive([":irc.test 396 gifbot ~g@user/gifbot :is now your displayed host"])
        #expect(server.session.textBudget(for: "#cats", notice: false) == 415 + 63 - 11 + 5)
        server.receive([":gifbot!~g@user/gifbot CHGHOST ~gifbot \(Self.host)h"])
        #expect(server.session.textBudget(for: "#cats", notice: false) == 414)
        server.receive([":irc.test 353 gifbot = #cats :@ada!a@b gifbot!~gifbot@\(Self.host)"])
        #expect(server.session.textBudget(for: "#cats", notice: false) == 415)
        server.receive([":gifbot!~gifbot@x NICK gifbot2"])
        #expect(server.session.textBudget(for: "#cats", notice: false) == 414)
    }

    @Test(arguments: [
        ("♥", 200, 414), ("\u{1F469}\u{1F3FD}\u{200D}\u{2695}\u{FE0F}", 60, 408),
    ])
    func titles(character: String, count: Int, bytes: Int) throws {
        var server = Self.server()
        server.receive([":gifbot!~gifbot@\(Self.host) JOIN #cats"])
        let text = String(repeating: character, count: count)
        let result = server.session.say(text, to: "#cats", notice: false, at: server.now, &server.effects)
        #expect(result == .accepted)
        let line = try #require(server.sent().last)
        #expect(line.utf8.count == "PRIVMSG #cats :".utf8.count + bytes)
        let received = ":gifbot!~gifbot@\(Self.host) \(line)\r\n"
        #expect(received.utf8.count <= 512)
    }

    @Test("a server that says it takes shorter lines is believed")
    func lineLength() {
        let server = Self.server([":irc.test 005 gifbot LINELEN=400 :are supported"])
        #expect(server.session.textBudget(for: "#cats", notice: false) == 412 - 112)
    }
}
