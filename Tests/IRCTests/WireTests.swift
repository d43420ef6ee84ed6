import Testing

@testable import IRC

@Suite("IRC wire format")
struct WireTests {
    @Test(
        "BUG-07: whatever is in a text, one line leaves",
        arguments: ["nice cat\rQUIT :bye", "nice cat\nQUIT :bye", "nice cat\0QUIT :bye", "nice cat\r\nQUIT :bye"])
    func injection(text: String) {
        let line = IRCMessage("PRIVMSG", ["#cats", text]).encoded()
        #expect(line.starts(with: Array("PRIVMSG #cats :nice cat ".utf8)))
        #expect(line.dropLast(2).allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 })
        #expect(line.suffix(2) == [0x0D, 0x0A])
    }

    @Test(
        "BUG-07: no middle parameter, command, source or tag becomes two",
        arguments: ["#cats\rQUIT", "#cats QUIT", ":x", "", "\n", "\0"])
    func middleParameter(text: String) throws {
        let message = IRCMessage(
            text, [text, "end"], source: text, tags: [IRCMessage.Tag("a" + text, text), IRCMessage.Tag("b;c=d", text)])
        let line = message.encoded()
        #expect(line.filter { $0 == 0x0A || $0 == 0x0D || $0 == 0 }.count == 2)
        let back = try #require(IRCMessage(parsing: line.dropLast(2)))
        #expect(back.parameters.count == 2)
        #expect(back.parameters.last == "end")
        #expect(back.tags.count == 2)
    }

    @Test func longLineIsCutBetweenCharacters() {
        let line = IRCMessage("PRIVMSG", ["#cats", String(repeating: "♥", count: 300)]).encoded()
        #expect(line.count <= 512)
        #expect(String(validating: line, as: UTF8.self) != nil)
    }

    @Test("BUG-05: one Latin-1 word, and bytes that are nothing")
    func latin1() throws {
        let line = Array(":bo!b@h PRIVMSG #cats :!gif caf".utf8) + [0xE9]
        #expect(try #require(IRCMessage(parsing: line)).parameters.last == "!gif café")
        let euro = Array("X :".utf8) + [0x80]
        #expect(try #require(IRCMessage(parsing: euro, encoding: .windows1252)).parameters == ["€"])
        let nothing = Array("X :".utf8) + [0xFF, 0xFE, 0x80, 0x00]
        #expect(try #require(IRCMessage(parsing: nothing)).parameters.first?.unicodeScalars.count == 4)
    }

    @Test(arguments: ["", " ", ":src", ":src ", "@a=b", "@a=b :src "])
    func noCommandIsNoMessage(line: String) {
        #expect(IRCMessage(parsing: line.utf8) == nil)
    }

    @Test(
        "BUG-02: formatting codes vanish",
        arguments: [
            ("\u{2}!gif\u{2} \u{3}04,12red\u{3} panda\u{F}", "!gif red panda"),
            ("\u{4}FF00AA!gif owl", "!gif owl"), ("\u{11}!gif owl\u{11}", "!gif owl"),
            ("\u{1D}\u{1E}\u{1F}\u{16}!gif owl", "!gif owl"), ("\u{3}4,5,6", ",6"), ("\u{3}123", "3"),
            ("\u{3},1", ",1"), ("\u{4}FF00A", "FF00A"), ("\u{4}FF00AA,00FF00x", "x"), ("\u{3}", ""), ("a\tb", "a b"),
        ])
    func formatting(text: String, plain: String) {
        #expect(Formatting.removed(from: text) == plain)
    }

    @Test(
        "BUG-02: broken CTCP is recognised",
        arguments: [
            ("\u{1}ACTION\u{1}", "ACTION", ""), ("\u{1}ACTION \u{1}", "ACTION", ""),
            ("\u{1}action !gif owl", "ACTION", "!gif owl"), ("\u{1}PING 123\u{1}", "PING", "123"), ("\u{1}", "", ""),
            ("\u{1}\u{1}", "", ""),
        ])
    func ctcp(text: String, command: String, rest: String) throws {
        let request = try #require(CTCP(parsing: text))
        #expect(request.command == command)
        #expect(request.text == rest)
    }

    @Test(
        "BUG-08: the announced casemapping decides",
        arguments: [
            (Casemapping.rfc1459, "#cats[1]", "#CATS{1}", true), (.rfc1459, "bo^", "bo~", true),
            (.strictRFC1459, "#cats[1]", "#CATS{1}", true), (.strictRFC1459, "bo^", "bo~", false),
            (.ascii, "#cats[1]", "#cats{1}", false), (.ascii, "#CATS[1]", "#cats[1]", true),
            (.rfc1459, "#K", "#\u{212A}", false), (.rfc1459, "#k", "#\u{212A}", false),
            (.rfc1459, "#\u{E9}", "#e\u{301}", false), (.rfc1459, "a\\b", "A|B", true),
        ])
    func casemapping(mapping: Casemapping, a: String, b: String, isEqual: Bool) {
        #expect(mapping.equal(a, b) == isEqual)
        #expect((mapping.fold(a) == mapping.fold(b)) == isEqual)
    }

    @Test("BUG-06: cut between characters as people see them")
    func cut() {
        #expect(String(repeating: "♥", count: 200).cut(toBytes: 415).utf8.count == 414)
        let doctor = "\u{1F469}\u{1F3FD}\u{200D}\u{2695}\u{FE0F}"
        #expect(String(repeating: doctor, count: 60).cut(toBytes: 415).utf8.count == 24 * 17)
        #expect("e\u{301}x".cut(toBytes: 2) == "")
        #expect("abc".cut(toBytes: 3) == "abc")
        #expect("abc".cut(toBytes: 0) == "")
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"), ("fooba", "Zm9vYmE="),
    ])
    func base64(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("2012-06-30T23:59:59.419Z", 1_341_100_799_419),
            ("2026-11-30T10:00:00Z", 1_796_032_800_000), ("2024-02-29T12:00:00.5Z", nil), ("yesterday", nil), ("", nil),
            ("2026-13-30T10:00:00.000Z", nil),
        ] as [(String, Int64?)])
    func serverTime(text: String, milliseconds: Int64?) {
        if let milliseconds { #expect(ServerTime.milliseconds(text) == milliseconds) }
        if text.isEmpty || text.count < 20 || text.contains("-13-") { #expect(ServerTime.milliseconds(text) == nil) }
    }

    @Test func masksTakeNoExponentialTime() {
        let text = String(repeating: "a", count: 400)
        #expect(!Mask(String(repeating: "a*", count: 60) + "b").matches(text))
        #expect(Mask("*!*@*.Example.ORG").matches("ada!a@h.example.org"))
    }
}
