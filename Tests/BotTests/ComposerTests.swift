import GiphySearch
import Testing

@testable import Bot

@Suite struct ComposerTests {
    func line(_ gif: Gif, budget: Int) -> ReplyComposer.Line? {
        ReplyComposer.line(for: gif, gif.renditions[0], template: .standard, budget: budget)
    }

    @Test("BUG-06: the title gives way, the link never; no budget cuts inside a character", arguments: 0...420)
    func everyBudget(budget: Int) throws {
        let titles = [
            String(repeating: "\u{2665}", count: 200),
            String(repeating: "\u{1F469}\u{1F3FD}\u{200D}\u{2695}\u{FE0F}", count: 60),
            "e" + String(repeating: "\u{301}", count: 300), "Caf\u{E9} de la gare",
        ]
        for title in titles {
            let gif = gif("a", title: title)
            let url = gif.renditions[0].url
            guard let line = line(gif, budget: budget) else {
                #expect(budget < url.utf8.count)
                continue
            }
            #expect(line.text.utf8.count <= budget)
            #expect(line.text.hasSuffix(url) && line.url == url)
            // What is left of the title is a beginning of it, whole characters only.
            let shown = line.text.prefix { $0 != "\u{2026}" && $0 != " " }
            if line.text.contains("\u{2026}") { #expect(title.hasPrefix(shown)) }
        }
    }

    @Test("BUG-06: as many hearts and doctors as fit")
    func full() throws {
        let rest = " \u{2014} 480\u{D7}270, 1.2 MB \u{B7} GIPHY \u{2014} https://media.example/a.gif".utf8.count
        let hearts = try #require(line(gif("a", title: String(repeating: "\u{2665}", count: 200)), budget: rest + 100))
        #expect(hearts.text.hasPrefix(String(repeating: "\u{2665}", count: 32) + "\u{2026} \u{2014}"))
        let doctor = "\u{1F469}\u{1F3FD}\u{200D}\u{2695}\u{FE0F}"
        let doctors = try #require(line(gif("a", title: String(repeating: doctor, count: 60)), budget: rest + 100))
        #expect(doctors.text.hasPrefix(String(repeating: doctor, count: 5) + "\u{2026} \u{2014}"))
        #expect(doctors.text.utf8.count <= rest + 100)
    }

    @Test("What gives way after the title")
    func givingWay() throws {
        let url = "https://media.example/a.gif"
        #expect(line(gif("a"), budget: 60)?.text == "480\u{D7}270, 1.2 MB \u{B7} GIPHY \u{2014} " + url)
        #expect(line(gif("a"), budget: url.utf8.count + 10)?.text == "GIPHY \u{2014} " + url)
        #expect(line(gif("a"), budget: url.utf8.count)?.text == url)
    }

    @Test("A URL that fits no line is replaced by the page, which has no dimensions")
    func page() throws {
        let long = "https://media.example/" + String(repeating: "x", count: 500) + ".gif"
        let both = gif("a", url: long, pageURL: "https://giphy.example/gifs/a")
        #expect(
            line(both, budget: 400)
                == .init(
                    text: "Party Parrot \u{2014} GIPHY \u{2014} https://giphy.example/gifs/a",
                    url: "https://giphy.example/gifs/a"))
        #expect(line(gif("a", url: long), budget: 400) == nil)
        #expect(line(both, budget: 20) == nil)
    }

    @Test(
        "BUG-07: what comes from outside stays one line and turns nothing round",
        arguments: [
            ("nice cat\rQUIT :bye", "nice cat QUIT :bye"), ("nice cat\nQUIT :bye", "nice cat QUIT :bye"),
            ("nice cat\u{0}QUIT", "nice cat QUIT"), ("a\r\n\u{85}\u{2028}b", "a b"),
            ("\u{2}bold\u{2} \u{3}04red", "bold red"),
            ("\u{202E}gnp.exe\u{202C}", "gnp.exe"), ("\u{1B}[31mred", "[31mred"), ("!op eve", "op eve"),
            (" /.. quit", "quit"), ("...", ""), ("  a  b  ", "a b"),
            ("\u{1F469}\u{200D}\u{2695}\u{FE0F}", "\u{1F469}\u{200D}\u{2695}\u{FE0F}"),
        ])
    func titles(raw: String, clean: String) {
        #expect(CleanText.title(gif("a", title: raw).title) == clean)
        let text = line(gif("a", title: raw), budget: 400)?.text ?? ""
        #expect(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F })
    }

    @Test("BUG-07: a URL with a line end in it is not posted")
    func urlInjection() {
        #expect(line(gif("a", url: "https://media.example/a\r\nQUIT"), budget: 400) == nil)
        #expect(line(gif("a", url: "https://media.example/a b.gif"), budget: 400) == nil)
    }

    @Test("The credit and the author are cleaned too")
    func credit() throws {
        let gif = Gif(
            id: "a", source: "commons", title: "", rating: nil, pageURL: nil, author: "Bo\nQUIT", credit: "Commons\r",
            renditions: [Rendition(url: "https://c.example/a.gif", width: nil, height: nil, byteCount: nil)])
        let template = try ReplyTemplate("{credit} by {by}: {url}")
        #expect(
            ReplyComposer.line(for: gif, gif.renditions[0], template: template, budget: 400)?.text
                == "Commons by Bo QUIT: https://c.example/a.gif")
    }

    @Test("A title used twice is cut twice")
    func twice() throws {
        let template = try ReplyTemplate("{title} {title} {url}")
        let gif = gif("a", title: String(repeating: "x", count: 100))
        let line = ReplyComposer.line(for: gif, gif.renditions[0], template: template, budget: 60)
        #expect((line?.text.utf8.count ?? 61) <= 60)
        #expect(line?.text.hasPrefix("x") == true)
    }

    @Test("An endless title gives way even where there is room")
    func endless() throws {
        let text = try #require(line(gif("a", title: String(repeating: "x", count: 100_000)), budget: 60_000)).text
        #expect(text.count < 300)
    }
}
