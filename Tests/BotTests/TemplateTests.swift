import GiphySearch
import Testing

@testable import Bot

@Suite struct TemplateTests {
    func text(_ template: String, _ gif: Gif, budget: Int = 400) throws -> String? {
        let template = try ReplyTemplate(template)
        return ReplyComposer.line(for: gif, gif.renditions[0], template: template, budget: budget)?.text
    }

    @Test("The documented answer")
    func standard() throws {
        #expect(
            try text(ReplyTemplate.standardText, gif("a"))
                == "Party Parrot \u{2014} 480\u{D7}270, 1.2 MB \u{B7} GIPHY \u{2014} https://media.example/a.gif")
    }

    @Test(
        "A part in brackets vanishes with what would have joined it",
        arguments: [
            (gif("a", title: ""), "480\u{D7}270, 1.2 MB \u{B7} GIPHY \u{2014} https://media.example/a.gif"),
            (
                gif("a", bytes: nil),
                "Party Parrot \u{2014} 480\u{D7}270 \u{B7} GIPHY \u{2014} https://media.example/a.gif"
            ),
            (gif("a", width: nil), "Party Parrot \u{2014} 1.2 MB \u{B7} GIPHY \u{2014} https://media.example/a.gif"),
            (
                gif("a", width: nil, bytes: nil), "Party Parrot \u{2014} GIPHY \u{2014} https://media.example/a.gif"
            ),
            (gif("a", title: " ", height: nil, bytes: nil), "GIPHY \u{2014} https://media.example/a.gif"),
        ])
    func vanishing(gif: Gif, expected: String) throws {
        #expect(try text(ReplyTemplate.standardText, gif) == expected)
    }

    @Test("Every name")
    func names() throws {
        let gif = gif("a", rating: .pg13, bytes: 640_400, author: "Bo")
        #expect(
            try text("{title}|{width}|{height}|{size}|{rating}|{provider}|{credit}|{by}|{url}", gif)
                == "Party Parrot|480|270|640 KB|pg-13|giphy|GIPHY|Bo|https://media.example/a.gif")
        #expect(try text("[by {by} ]{url}", TemplateTests.anonymous) == "https://media.example/a.gif")
    }

    static let anonymous = gif("a")

    @Test(
        "What is no template",
        arguments: [
            ("{title}", TemplateError.urlNotLast), ("{url} {title}", .urlNotLast), ("{url}.", .urlNotLast),
            ("[{url}]", .urlNotLast), ("{url}{url}", .urlNotLast), ("", .urlNotLast), ("[{url} ]{url}", .urlNotLast),
            ("{name} {url}", .unknownName), ("{Title} {url}", .unknownName), ("{} {url}", .unknownName),
            ("{title {url}", .unknownName), ("{url", .unclosedName), ("title} {url}", .unclosedName),
            ("[{title} {url}", .unbalancedBrackets), ("{title}] {url}", .unbalancedBrackets),
            ("[{title}[{size}]] {url}", .nestedBrackets), ("{title}\n{url}", .controlCharacter),
        ])
    func wrong(text: String, error: TemplateError) {
        #expect(throws: error) { try ReplyTemplate(text) }
        #expect(!error.text.isEmpty)
    }

    @Test(
        arguments: [
            (1, "1 B"), (999, "999 B"), (1000, "1 KB"), (640_000, "640 KB"), (999_499, "999 KB"), (999_500, "1.0 MB"),
            (1_843_200, "1.8 MB"), (12_340_000, "12.3 MB"),
        ])
    func sizes(bytes: Int, text: String) {
        #expect(FileSize.text(bytes) == text)
    }
}
