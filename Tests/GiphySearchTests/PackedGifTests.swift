import GiphySearch
import Testing

@Suite struct PackedGifTests {
    private func file(_ url: String, type: String? = nil, path: String? = nil) -> Rendition {
        Rendition(url: url, width: 480, height: 270, byteCount: 1 << 20, mediaType: type, localPath: path)
    }

    private let full = Gif(
        id: "a:b", source: "giphy", title: "Ünïcode \u{1F99C}", rating: .pg13, pageURL: "https://giphy.com/gifs/a",
        author: "somebody", credit: "GIPHY", altText: "a parrot",
        renditions: [
            Rendition(url: "https://m.example/a/giphy.gif?rid=giphy.gif", width: nil, height: nil, byteCount: nil),
            Rendition(url: "https://m.example/a/200.gif?rid=200.gif", width: 356, height: 200, byteCount: 16_384),
        ])

    @Test("every property comes back as it was given") func properties() {
        #expect(full.id == "a:b" && full.source == "giphy" && full.qualifiedID == "giphy:a:b")
        #expect(full.title == "Ünïcode \u{1F99C}" && full.rating == .pg13 && full.pageURL == "https://giphy.com/gifs/a")
        #expect(full.author == "somebody" && full.credit == "GIPHY" && full.altText == "a parrot")
        #expect(full.renditions[0].width == nil && full.renditions[0].byteCount == nil)
        #expect(full.renditions[1].width == 356 && full.renditions[1].byteCount == 16_384)
        let bare = Gif(
            id: "", source: "", title: "", rating: nil, pageURL: nil, author: nil, credit: "", renditions: [])
        #expect(bare.id == "" && bare.source == "" && bare.qualifiedID == ":" && bare.title == "" && bare.credit == "")
        #expect(bare.rating == nil && bare.pageURL == nil && bare.author == nil && bare.altText == nil)
        #expect(bare.renditions == [])
        for rating in Rating.allCases {
            let rated = Gif(
                id: "a", source: "b", title: "", rating: rating, pageURL: "", author: nil, credit: "", renditions: [])
            #expect(rated.rating == rating && rated.pageURL == "" && rated.kind == .gif)
            let sticker = Gif(
                id: "a", source: "b", kind: .sticker, title: "", rating: rating, pageURL: "", author: nil, credit: "",
                renditions: [])
            #expect(sticker.rating == rating && sticker.kind == .sticker && sticker.alone == sticker)
        }
    }

    @Test(
        "addresses keep every byte, however alike they are",
        arguments: [
            ["a", "a"], ["a", ""], ["", "a", "aa", "aaa", "aa"], ["abcabc", "abc", "abcabcabc", "xabcabc", "abcabcx"],
            ["https://x/é.gif", "https://x/è.gif", "https://x/\u{E9}\u{301}.gif"],
            [String(repeating: "l", count: 20_000), String(repeating: "l", count: 19_999) + "m"],
        ])
    func addresses(_ urls: [String]) {
        let gif = Gif(
            id: "a", source: "b", title: "", rating: nil, pageURL: nil, author: nil, credit: "",
            renditions: urls.map { file($0) })
        #expect(gif.renditions.map { Array($0.url.utf8) } == urls.map { Array($0.utf8) })
    }

    @Test("types and places of files") func types() {
        let files = ["image/gif", "video/mp4", "image/webp", "image/x-odd", "", nil].map {
            file("https://x/a.gif", type: $0, path: $0.map { "/gifs/" + $0 })
        }
        let gif = Gif(
            id: "a", source: "b", title: "", rating: nil, pageURL: nil, author: nil, credit: "", renditions: files)
        #expect(gif.renditions == files)
    }

    @Test("the GIFs of a page are the same as before, and one alone too") func pages() {
        let others = (0..<30).map { number in
            Gif(
                id: "\(number)", source: "giphy", title: String(repeating: "t", count: number * 7), rating: .g,
                pageURL: nil, author: nil, credit: "", renditions: [file("https://m.example/\(number).gif")])
        }
        let page = SearchPage(gifs: others + [full])
        #expect(page.gifs == others + [full] && Set(page.gifs).count == 31)
        #expect(page.gifs.map(\.alone) == page.gifs && page.gifs[30].alone.renditions == full.renditions)
        #expect(SearchPage(gifs: Array(page.gifs.reversed())).gifs == page.gifs.reversed())
    }

    @Test("two that differ in one thing are two") func differences() {
        func gif(id: String = "a", title: String = "t", author: String? = nil, alt: String? = nil) -> Gif {
            Gif(
                id: id, source: "s", title: title, rating: nil, pageURL: nil, author: author, credit: "",
                altText: alt, renditions: [])
        }
        #expect(gif() == gif() && gif().hashValue == gif().hashValue)
        #expect(gif() != gif(id: "b") && gif() != gif(title: "u") && gif(author: "x") != gif(alt: "x"))
    }
}
