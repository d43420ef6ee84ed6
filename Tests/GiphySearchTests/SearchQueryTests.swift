import Testing

@testable import GiphySearch

struct CleanLineTests {
    @Test(arguments: [
        ("party", "party"), ("  Red   PANDA ", "Red PANDA"), ("a\u{A0}b", "a b"), ("a\u{3000}b", "a b"),
        ("a\r\nb\tc", "a b c"),
        ("\u{85}a\u{2028}b\u{2029}", "a b"), ("C++ & C#? 100%/½ 🐱", "C++ & C#? 100%/½ 🐱"), ("ÄÖÜ", "ÄÖÜ"),
        ("\u{2}bold\u{2} \u{1D}it\u{1D}", "bold it"), ("\u{3}04,12red\u{3} panda\u{F}", "red panda"),
        ("\u{3}4red", "red"),
        ("\u{3}04,red", ",red"), ("\u{3}123", "3"), ("\u{4}FF00AAowl", "owl"), ("\u{4}FF00AA,00FF00owl", "owl"),
        ("\u{4}xyz", "xyz"),
        ("\u{11}mono\u{11}", "mono"), ("a\u{0}b", "a b"), ("a\u{1}b\u{7F}c\u{9B}d", "a b c d"),
        ("a\u{202E}b\u{200B}c\u{FEFF}", "abc"),
        ("👩🏽‍⚕️", "👩🏽‍⚕️"), ("x", "x"),
    ])
    func isNormalised(text: String, words: String) {
        #expect(cleanLine(text, maximumScalars: 100).unicodeScalars.elementsEqual(words.unicodeScalars))
    }

    @Test(arguments: ["", "   ", "\r\n", "\u{2}\u{F}", "\u{3}04", "\u{A0}\u{3000}", "\u{0}", "\u{200B}"])
    func nothingIsLeft(text: String) {
        #expect(cleanLine(text, maximumScalars: 100).isEmpty)
    }

    @Test func isCut() {
        func cut(_ text: String) -> String { cleanLine(text, maximumScalars: 100) }
        #expect(cut(String(repeating: "ab ", count: 1000)).unicodeScalars.count <= 100)
        #expect(cut(String(repeating: "x", count: 99) + " y") == String(repeating: "x", count: 99))
        #expect(cut("a" + String(repeating: "\u{301}", count: 10_000)).unicodeScalars.count == 100)
    }
}

struct SearchQueryTests {
    @Test func isCutForASource() {
        #expect(query(String(repeating: "é", count: 60)).words(upTo: 50) == String(repeating: "é", count: 50))
        #expect(query("short").words(upTo: 50) == "short")
        // Whole characters, and no space at the end.
        #expect(query("12345 789").words(upTo: 6) == "12345")
        #expect(query("ab👩🏽‍⚕️").words(upTo: 4) == "ab")
        #expect(query("a" + String(repeating: "\u{301}", count: 90)).words(upTo: 50).unicodeScalars.count == 50)
    }

    @Test func otherLimitsAreAnotherQuery() {
        #expect(query("owl") != query("owl", rating: .pg))
        #expect(query("owl") != query("owl", kind: .sticker))
    }
}
