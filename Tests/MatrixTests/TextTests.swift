import HTTP
import JSON
import Testing

@testable import Matrix

private func message(
    _ body: String, html: String? = nil, mentions: [String] = [], isReply: Bool = false
) -> RoomMessage {
    RoomMessage(
        id: "$e", room: room1, sender: ada, level: 0, isDirect: false, body: body, formattedBody: html,
        mentions: mentions, isReply: isReply, thread: nil, age: 0, originTime: nil, ownName: nil)
}

@Suite struct MentionTests {
    private static let pill = #"<a href="https://matrix.to/#/@gifbot:example.test">GIF Bot</a>"#

    @Test(
        "An address in front is taken off",
        arguments: [
            ("GIF Bot: gif owl", nil, []), ("gif bot, gif owl", nil, []), ("GIF Bot gif owl", nil, []),
            ("@GIF Bot gif owl", nil, []), ("@gifbot:example.test: gif owl", nil, []),
            ("@gifbot:example.test gif owl", nil, []), ("gifbot: gif owl", nil, []), ("@gifbot gif owl", nil, []),
            ("gifbot gif owl", nil, [bot]), ("  GIF Bot:   gif owl", nil, []), ("GIF Bot:\ngif owl", nil, []),
            ("GIF Bot\u{FF1A}gif owl", nil, []), ("GIF Bot:\u{A0}gif owl", nil, []),
            ("GIF Bot: gif owl", pill + ": gif owl", [bot]),
            ("Giffy: gif owl", pill.replacing("GIF Bot", with: "Giffy") + ": gif owl", []),
            ("A&B: gif owl", "<p>" + pill.replacing("GIF Bot", with: "A&amp;B") + ": gif owl</p>", []),
            ("Giffy gif owl", pill.replacing("@", with: "%40").replacing("GIF Bot", with: "@Giffy") + " gif owl", []),
            ("[GIF Bot](https://matrix.to/#/@gifbot:example.test): gif owl", nil, []),
        ] as [(String, String?, [String])])
    func addressed(body: String, html: String?, mentions: [String]) {
        let mention = Mention(
            in: message(body, html: html, mentions: mentions), userID: bot, names: ["GIF", "GIF Bot"])
        #expect(mention == Mention(text: "gif owl", isAddressed: true))
    }

    @Test(
        "Marks of direction around a name and in front are no part of it",
        arguments: [
            "\u{200F}GIF Bot: gif owl", "\u{2068}GIF Bot\u{2069}: gif owl", "GIF Bot\u{200E} gif owl",
            "\u{202B}@gifbot:example.test\u{202C} gif owl", "GIF Bot: \u{200F}gif owl",
        ])
    func directionMarks(body: String) {
        let mention = Mention(in: message(body), userID: bot, names: ["GIF Bot"])
        #expect(mention == Mention(text: "gif owl", isAddressed: true))
    }

    @Test(
        "What is none",
        arguments: [
            "!gif owl", "/gif owl", "//gif owl", "gif owl", "gifbots: gif owl", "gifbot gif owl", "owl for GIF Bot",
            "@gifbot:example.tests gif owl", "[x](https://matrix.to/#/@bo:example.test): gif owl", "", "@", "[",
        ])
    func none(body: String) {
        let mention = Mention(in: message(body), userID: bot, names: ["GIF Bot"])
        #expect(mention == Mention(text: body, isAddressed: false))
    }

    @Test("m.mentions alone is an address; in a reply it isn't, since replies to the bot name it anyway")
    func namedOnly() {
        let mention = Mention(in: message("gif owl", mentions: [bot]), userID: bot, names: ["Giffy"])
        #expect(mention == Mention(text: "gif owl", isAddressed: true))
        let reply = Mention(in: message("gif owl", mentions: [bot], isReply: true), userID: bot, names: ["Giffy"])
        #expect(reply == Mention(text: "gif owl", isAddressed: false))
    }

    @Test(
        "Named further back it is talked about, not to",
        arguments: ["gif by giffy", "gif of @gifbot:example.test", "gif from gifbot was nice"])
    func namedBehind(body: String) {
        let mention = Mention(in: message(body, mentions: [bot]), userID: bot, names: ["Giffy"])
        #expect(mention == Mention(text: body, isAddressed: false))
        let html = "gif for <a href=\"https://matrix.to/#/%40gifbot%3Aexample.test\">G</a>"
        let pill = Mention(in: message("gif for G", html: html, mentions: [bot]), userID: bot, names: [])
        #expect(!pill.isAddressed)
    }

    @Test(
        "Who has the name as a part of theirs is another: the bot is addressed",
        arguments: [
            "@gifbot2:example.test", "@gifbot:elsewhere.test", "@gifbot-two:example.test", "@my.gifbot:example.test",
            "@gifbot:example.test.elsewhere", "@gifbot:example.test:8448", "@mygifbot:example.test",
        ])
    func named(other: String) {
        for link in ["https://matrix.to/#/" + other, "https://matrix.to/#/" + percentEncoded(other)] {
            let html = "gif of <a href=\"\(link)\">Bo</a>"
            let mention = Mention(in: message("gif of Bo", html: html, mentions: [bot]), userID: bot, names: ["Gif Bo"])
            #expect(mention == Mention(text: "gif of Bo", isAddressed: true), "\(link)")
        }
        let plain = Mention(in: message("gif of giffys", mentions: [bot]), userID: bot, names: ["Giffy"])
        #expect(plain.isAddressed)
    }

    @Test(
        "The bot's own id ends at whatever isn't of an id",
        arguments: ["\"", "?via=x", ".", ", please", " ", "", "来", ":"])
    func namedBeforeSigns(rest: String) {
        for id in [
            "of @gifbot:example.test", "https://matrix.to/#/%40gifbot%3Aexample.test", "matrix:u/gifbot:example.test",
        ] {
            let mention = Mention(in: message("gif " + id + rest, mentions: [bot]), userID: bot, names: [])
            #expect(!mention.isAddressed, "\(id)\(rest)")
        }
    }

    @Test("What the loop would read for milliseconds isn't read: only the front, and a name behind it in what is short")
    func long() {
        let long = String(repeating: "gif owl ", count: 8000)
        #expect(!Mention(in: message(long, mentions: [bot]), userID: bot, names: []).isAddressed)
        #expect(!Mention(in: message("gif owl", html: long, mentions: [bot]), userID: bot, names: []).isAddressed)
        // An address in front counts, and as much goes on as a command could ever need.
        let addressed = Mention(in: message("GIF Bot: " + long), userID: bot, names: ["GIF Bot"])
        #expect(addressed == Mention(text: String(long.prefix(Mention.longestText)), isAddressed: true))
        let space = String(repeating: " ", count: 2000)
        #expect(!Mention(in: message(space + "GIF Bot: gif"), userID: bot, names: ["GIF Bot"]).isAddressed)
        // The cut lies within a character.
        let cut = String(repeating: "é", count: 30_000)
        let half = Mention.longestText / 2
        #expect(Mention(in: message("x" + cut), userID: bot, names: []).text == "x" + cut.prefix(half - 1))
        #expect(Mention(in: message(cut), userID: bot, names: []).text == String(cut.prefix(half)))
    }

    @Test(
        "BUG-01: the text is handed on as typed",
        arguments: [
            "!gif  owl", "!gif owl ", " !gif owl", "!gif\u{A0}owl", "!gif\u{3000}owl", "!gif\nowl", "!gif", "!gif   ",
            "!gifs owl", "!Gif owl",
        ])
    func asTyped(body: String) {
        #expect(Mention(in: message(body), userID: bot, names: ["GIF Bot"]).text == body)
    }

    @Test(
        "BUG-03: the quoted block goes only with the relation, and before the address",
        arguments: [
            ("> <@bo:example.test> !gif owl\n\nso cute", true, "so cute", false),
            ("> <@bo:example.test> one\n> two\n\n!gif fox", true, "!gif fox", false),
            ("> !gif owl", false, "> !gif owl", false),
            ("!gif hen", true, "!gif hen", false),
            ("> <@bo:example.test> hi\n\nGIF Bot: gif hen", true, "gif hen", true),
            ("> <@bo:example.test> hi\n>\n> there\n\n!gif hen", true, "!gif hen", false),
            ("> <@bo:example.test> hi", true, "", false),
            (">not a quote", true, ">not a quote", false),
        ])
    func replies(body: String, isReply: Bool, text: String, isAddressed: Bool) {
        let mention = Mention(in: message(body, isReply: isReply), userID: bot, names: ["GIF Bot"])
        #expect(mention == Mention(text: text, isAddressed: isAddressed))
    }

    @Test("BUG-03: the pill is looked for behind the quote")
    func pillInReply() {
        let html =
            "<mx-reply><blockquote>x</blockquote></mx-reply>" + Self.pill.replacing("GIF Bot", with: "Giffy") + ": gif"
        let mention = Mention(
            in: message("> <@bo:x> x\n\nGiffy: gif", html: html, isReply: true), userID: bot, names: [])
        #expect(mention == Mention(text: "gif", isAddressed: true))
    }
}

@Suite struct ReplyContentTests {
    private func content(_ text: String, url: String? = nil, thread: String? = nil) throws -> JSONValue {
        try JSONValue(parsing: ReplyContent(text: text, url: url, answers: "$cmd", thread: thread).json())
    }

    @Test("A notice with a link, naming nobody")
    func link() throws {
        let value = try content("Owl — https://x.test/a?b=1&c=2", url: "https://x.test/a?b=1&c=2")
        #expect(
            value == [
                "msgtype": "m.notice", "body": "Owl — https://x.test/a?b=1&c=2", "m.mentions": [:],
                "format": "org.matrix.custom.html",
                "formatted_body":
                    "Owl — <a href=\"https://x.test/a?b=1&amp;c=2\">https://x.test/a?b=1&amp;c=2</a>",
                "m.relates_to": ["m.in_reply_to": ["event_id": "$cmd"]],
            ])
    }

    @Test("In a thread the answer goes to its root")
    func thread() throws {
        #expect(
            try content("x", thread: "$root")["m.relates_to"] == [
                "rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
                "m.in_reply_to": ["event_id": "$cmd"],
            ])
    }

    @Test(
        "Titles can't write HTML, lines or links",
        arguments: [
            (#"<img src=x onerror="a"> & 'b'"#, "&lt;img src=x onerror=&quot;a&quot;&gt; &amp; &#39;b&#39;"),
            ("a\nb\r\nc\u{0}\u{1B}[31m\u{85}\u{2028}", "a b  c[31m  "),
            ("https://x.test/g", "https://x.test/g"),
        ])
    func injection(title: String, escaped: String) throws {
        let value = try content(title + " https://x.test/g", url: "https://x.test/g")
        #expect(
            value["formatted_body"]?.string
                == escaped + " <a href=\"https://x.test/g\">https://x.test/g</a>")
    }

    @Test(
        "No HTML without a URL that a client would open",
        arguments: [
            nil, "file:///gifs/owl.gif", "javascript:alert(1)", "https://elsewhere.test/",
        ])
    func plain(url: String?) throws {
        let value = try content("Owl file:///gifs/owl.gif javascript:alert(1)", url: url)
        #expect(value["formatted_body"] == nil && value["format"] == nil)
    }

    @Test("A URL that is the whole text")
    func onlyURL() throws {
        let url = "https://x.test/\"><script>"
        let html = try content(url, url: url)["formatted_body"]?.string ?? ""
        #expect(!html.contains("<script>") && html.hasPrefix("<a href=\"https://x.test/&quot;&gt;&lt;script&gt;\">"))
    }
}

@Suite struct MatrixIDTests {
    @Test func legal() {
        for id in [bot, "@a.b=c/d-e:example.test:8448", "@x:[::1]:80"] { #expect(MatrixID.isUser(id), "\(id)") }
        for id in [
            "gifbot", "@gifbot", "@:x", "@a:", "@a b:x", "@a:x y", "@" + String(repeating: "a", count: 300) + ":x",
        ] {
            #expect(!MatrixID.isUser(id), "\(id)")
        }
        for id in [room1, "!44A47R7q"] { #expect(MatrixID.isRoom(id)) }
        for id in ["!", "#a:b", "!a b"] { #expect(!MatrixID.isRoom(id)) }
        for id in ["#cats:example.test", "#кот:x"] { #expect(MatrixID.isAlias(id)) }
        for id in ["#cats", "#:x", "cats:x"] { #expect(!MatrixID.isAlias(id)) }
        #expect(MatrixID.server(of: "@a:x:80") == "x:80" && MatrixID.localpart(of: "@a:x:80") == "a")
    }
}
