import Base
import GiphySearch
import HTTP
import Testing

/// Texts that go from GIPHY's body into the bytes of a page.
struct GiphyPageTests {
    private func gifs(_ items: [String]) throws(SourceFailure) -> [Gif] {
        let body = #"{"data":[\#(items.joined(separator: ","))],"meta":{"status":200,"response_id":"r"}}"#
        return try GiphyAPI(key: Secret("k")).gifs(from: .json(body))
    }

    private func item(
        _ id: String, title: String = "t", more: String = "", url: String = "https://i.giphy.com/a.gif"
    ) -> String {
        #"{"id":\#(id),"title":"\#(title)",\#(more)"images":{"original":{"url":"\#(url)","width":"480","height":"270"}}}"#
    }

    @Test("BUG-32: a byte that stands in no address is found wherever it is", arguments: 0..<19)
    func addresses(place: Int) throws {
        let bytes = (UInt8(0x20)...0x7F).map { $0 }
        let items = bytes.map { byte in
            let marks = byte == 0x22 || byte == 0x5C ? "\\" : ""
            let url =
                "https://i.giphy.com/" + String(repeating: "z", count: place) + marks
                + String(UnicodeScalar(byte)) + String(repeating: "z", count: 18 - place)
            return item("\(byte)", url: url)
        }
        let expected = bytes.filter { !" \"<>\\^`{|}\u{7F}".utf8.contains($0) }.map { "\($0)" }
        #expect(try gifs(items).map(\.id) == expected)
    }

    @Test(
        "BUG-07: titles are cleaned and cut alike, whatever they are made of",
        arguments: [
            (String(repeating: "a", count: 200), String(repeating: "a", count: 200)),
            (String(repeating: "a", count: 250), String(repeating: "a", count: 200)),
            (String(repeating: "a", count: 199) + "  b", String(repeating: "a", count: 199)),
            (String(repeating: "a", count: 198) + "  bc", String(repeating: "a", count: 198) + " b"),
            (String(repeating: "a", count: 198) + "\u{E9}bc", String(repeating: "a", count: 198) + "\u{E9}b"),
            (String(repeating: "\u{E9}", count: 201), String(repeating: "\u{E9}", count: 200)),
            ("\u{200B}  a\u{200B}b  c ", "ab c"), ("a \u{200B} b", "a b"), ("\u{200B}", ""), ("", ""),
        ])
    func titles(title: String, cleaned: String) throws {
        #expect(try gifs([item("1", title: title)]).map(\.title) == [cleaned])
        let given = Gif(
            id: "1", source: "s", title: title, rating: nil, pageURL: nil, author: title, credit: title, altText: title,
            renditions: [])
        #expect(given.title == cleaned)
        #expect(given.credit == cleaned)
        #expect(given.author == (cleaned.isEmpty ? nil : String(cleaned.prefix(100))))
    }

    @Test func escapesAreResolvedOnTheirWay() throws {
        let first = try #require(
            try gifs([
                item(
                    #""a\u0062c""#, title: #"Caf\u00e9 \"x\" \ud83d\ude00"#,
                    more: #""username":"so\u006debody","alt_text":"a\tb","url":"https:\/\/giphy.com\/gifs\/a","#,
                    url: #"https:\/\/i.giphy.com\/a.gif"#)
            ]).first)
        #expect(first.id == "abc" && first.qualifiedID == "giphy:abc" && first.title == "Café \"x\" 😀")
        #expect(first.author == "somebody" && first.altText == "a b" && first.pageURL == "https://giphy.com/gifs/a")
        #expect(first.renditions.map(\.url) == ["https://i.giphy.com/a.gif"])
    }

    @Test("BUG-21: an id counts once, however it is written") func repeats() throws {
        let found = try gifs([item(#""ab""#), item(#""a\u0062""#), item("12"), item(#""12""#), item(#""ba""#)])
        #expect(found.map(\.id) == ["ab", "12", "ba"])
    }

    @Test("a page may be as long as it likes") func longPages() throws {
        let numbers = 0..<100
        let items = numbers.map { number in
            item(
                "\(number)", title: String(repeating: "é", count: 200),
                more: #""alt_text":"\#(String(repeating: "w", count: 400))","#,
                url: "https://i.giphy.com/" + String(repeating: "u", count: 500) + "\(number).gif")
        }
        let found = try gifs(items)
        #expect(found.map(\.id) == numbers.map { "\($0)" })
        #expect(found.allSatisfy { $0.title.count == 200 && $0.altText?.count == 400 && $0.credit == "GIPHY" })
        #expect(found.map { $0.renditions.map(\.url.utf8.count) } == numbers.map { [520 + "\($0).gif".utf8.count] })
        #expect(SearchPage(gifs: found).gifs == found)
    }
}
