import GiphySearch
import Testing

@testable import GiphySearch

struct SearchQueryTests {
    @Test(arguments: [
        ("party", "party"), ("  Red   PANDA ", "red panda"), ("a\u{A0}b", "a b"), ("a\u{3000}b", "a b"),
        ("a\r\nb\tc", "a b c"),
        ("\u{85}a\u{2028}b\u{2029}", "a b"), ("C++ & C#? 100%/½ 🐱", "c++ & c#? 100%/½ 🐱"), ("ÄÖÜ", "äöü"),
        ("\u{2}bold\u{2} \u{1D}it\u{1D}", "bold it"), ("\u{3}04,12red\u{3} panda\u{F}", "red panda"),
        ("\u{3}4red", "red"),
        ("\u{3}04,red", ",red"), ("\u{3}123", "3"), ("\u{4}FF00AAowl", "owl"), ("\u{4}FF00AA,00FF00owl", "owl"),
        ("\u{4}xyz", "xyz"),
        ("\u{11}mono\u{11}", "mono"), ("a\u{0}b", "a b"), ("a\u{1}b\u{7F}c\u{9B}d", "a b c d"),
        ("a\u{202E}b\u{200B}c\u{FEFF}", "abc"),
        ("👩🏽‍⚕️", "👩🏽‍⚕️"), ("x", "x"),
    ])
    func isNormalised(text: String, words: String) {
        #expect(query(text).words.unicodeScalars.elementsEqual(words.unicodeScalars))
    }

    @Test(arguments: ["", "   ", "\r\n", "\u{2}\u{F}", "\u{3}04", "\u{A0}\u{3000}", "\u{0}", "\u{200B}"])
    func nothingLeftIsNoQuery(text: String) {
        #expect(SearchQuery(text: text, rating: .g, language: "en", kind: .gif) == nil)
    }

    @Test func isCut() {
        #expect(query(String(repeating: "ab ", count: 1000)).words.unicodeScalars.count <= 100)
        #expect(query(String(repeating: "x", count: 99) + " y").words == String(repeating: "x", count: 99))
        #expect(query("a" + String(repeating: "\u{301}", count: 10_000)).words.unicodeScalars.count == 100)
    }

    @Test func isCutAgainForASource() {
        #expect(query(String(repeating: "é", count: 60)).words(upTo: 50) == String(repeating: "é", count: 50))
        #expect(query("short").words(upTo: 50) == "short")
        // Whole characters, and no space at the end.
        #expect(query("12345 789").words(upTo: 6) == "12345")
        #expect(query("ab👩🏽‍⚕️").words(upTo: 4) == "ab")
        #expect(query("a" + String(repeating: "\u{301}", count: 90)).words(upTo: 50).unicodeScalars.count == 50)
    }

    @Test func sameWordsAreTheSameQuery() {
        #expect(query(" Red  PANDA") == query("red panda"))
        #expect(query("owl") != query("owl", rating: .pg))
        #expect(query("owl") != query("owl", kind: .sticker))
    }
}
