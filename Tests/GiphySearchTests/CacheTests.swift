import Base
import Testing

@testable import GiphySearch

@Loop struct MemorySearchCacheTests {
    private let start = ContinuousClock.now

    private func key(_ words: String, source: String = "giphy", generation: Int = 0) -> SearchCacheKey {
        SearchCacheKey(query: query(words), source: source, generation: generation)
    }

    @Test func whatWasKeptIsFoundUntilItsTimeIsOver() {
        let cache = MemorySearchCache(maximumEntries: 10)
        let page = SearchPage(gifs: [makeGif("a")])
        cache.keep(page, for: key("owl"), lasting: .seconds(60), at: start)
        #expect(cache.page(for: key("owl"), at: start) === page)
        #expect(cache.page(for: key("owl"), at: start.advanced(by: .seconds(59))) === page)
        #expect(cache.page(for: key("owl"), at: start.advanced(by: .seconds(60))) == nil)
        #expect(cache.count == 0)
    }

    @Test func queriesSourcesAndGenerationsAreKeptApart() {
        let cache = MemorySearchCache(maximumEntries: 10)
        cache.keep(SearchPage(gifs: []), for: key("owl"), lasting: .seconds(60), at: start)
        #expect(cache.page(for: key("fox"), at: start) == nil)
        #expect(cache.page(for: key("owl", source: "folder"), at: start) == nil)
        #expect(cache.page(for: key("owl", generation: 1), at: start) == nil)
        let stricter = SearchCacheKey(query: query("owl", rating: .r), source: "giphy", generation: 0)
        #expect(cache.page(for: stricter, at: start) == nil)
        let sticker = SearchCacheKey(query: query("owl", kind: .sticker), source: "giphy", generation: 0)
        #expect(cache.page(for: sticker, at: start) == nil)
    }

    @Test func theOneUsedLongestAgoGoesFirst() {
        let cache = MemorySearchCache(maximumEntries: 3)
        for word in ["a", "b", "c"] {
            cache.keep(SearchPage(gifs: []), for: key(word), lasting: .seconds(60), at: start)
        }
        #expect(cache.page(for: key("a"), at: start) != nil)
        cache.keep(SearchPage(gifs: []), for: key("d"), lasting: .seconds(60), at: start)
        #expect(cache.count == 3)
        #expect(cache.page(for: key("b"), at: start) == nil)
        for word in ["a", "c", "d"] { #expect(cache.page(for: key(word), at: start) != nil) }
    }

    @Test func aNewPageTakesThePlaceOfTheOld() {
        let cache = MemorySearchCache(maximumEntries: 3)
        let page = SearchPage(gifs: [])
        cache.keep(SearchPage(gifs: []), for: key("a"), lasting: .seconds(60), at: start)
        cache.keep(page, for: key("a"), lasting: .seconds(90), at: start)
        #expect(cache.count == 1)
        #expect(cache.page(for: key("a"), at: start.advanced(by: .seconds(70))) === page)
    }

    @Test func noLifetimeKeepsNothing() {
        let cache = MemorySearchCache(maximumEntries: 3)
        cache.keep(SearchPage(gifs: []), for: key("a"), lasting: .seconds(60), at: start)
        cache.keep(SearchPage(gifs: []), for: key("a"), lasting: .zero, at: start)
        #expect(cache.page(for: key("a"), at: start) == nil)
        #expect(cache.count == 0)
    }

    @Test func theLimitCanChange() {
        let cache = MemorySearchCache(maximumEntries: 10)
        for number in 0..<10 {
            cache.keep(SearchPage(gifs: []), for: key("\(number)"), lasting: .seconds(60), at: start)
        }
        cache.limit(entries: 2)
        #expect(cache.count == 2)
        #expect(cache.page(for: key("9"), at: start) != nil)
        cache.limit(entries: 0)
        #expect(cache.count == 0)
        cache.keep(SearchPage(gifs: []), for: key("a"), lasting: .seconds(60), at: start)
        #expect(cache.count == 0)
    }

    @Test func staysBoundedUnderManyQueries() {
        let cache = MemorySearchCache(maximumEntries: 100)
        var now = start
        for number in 0..<2000 {
            cache.keep(SearchPage(gifs: []), for: key("\(number % 300)"), lasting: .seconds(60), at: now)
            _ = cache.page(for: key("\(number * 7 % 300)"), at: now)
            now = now.advanced(by: .seconds(1))
            #expect(cache.count <= 100)
        }
    }

    @Test func bytesAreBoundedToo() {
        let start = ContinuousClock.now
        let cache = MemorySearchCache(maximumEntries: 1000, maximumBytes: 20_000)
        let page = SearchPage(gifs: (0..<10).map { makeGif("\($0)", title: String(repeating: "x", count: 100)) })
        for number in 0..<50 {
            let key = SearchCacheKey(query: query("\(number)"), source: "giphy", generation: 0)
            cache.keep(page, for: key, lasting: .seconds(60), at: start)
            #expect(cache.bytes <= 20_000)
        }
        #expect((1..<50).contains(cache.count))
        let huge = SearchPage(gifs: (0..<100).map { makeGif("\($0)", title: String(repeating: "x", count: 150)) })
        let key = SearchCacheKey(query: query("huge"), source: "giphy", generation: 0)
        cache.keep(huge, for: key, lasting: .seconds(60), at: start)
        #expect(cache.page(for: key, at: start) == nil)
        #expect(cache.count > 0)
    }

    @Test func allTextsCount() {
        let start = ContinuousClock.now
        let text = String(repeating: "x", count: 90)
        func bytes(_ gif: Gif, _ next: PageContinuation? = nil) -> Int {
            let cache = MemorySearchCache(maximumEntries: 10)
            let key = SearchCacheKey(query: query("cat"), source: "giphy", generation: 0)
            cache.keep(SearchPage(gifs: [gif], continuation: next), for: key, lasting: .seconds(60), at: start)
            return cache.bytes
        }
        func gif(_ author: String?, _ credit: String, _ alt: String?, _ type: String?, _ path: String?) -> Gif {
            let file = Rendition(
                url: "https://i.giphy.com/a.gif", width: 1, height: 1, byteCount: 1, mediaType: type, localPath: path)
            return Gif(
                id: "a", source: "giphy", title: "", rating: .g, pageURL: nil, author: author, credit: credit,
                altText: alt, renditions: [file])
        }
        let bare = bytes(gif(nil, "", nil, nil, nil))
        #expect(bytes(gif(text, "", nil, nil, nil)) == bare + 90)
        #expect(bytes(gif(nil, text, nil, nil, nil)) == bare + 90)
        #expect(bytes(gif(nil, "", text, nil, nil)) == bare + 90)
        #expect(bytes(gif(nil, "", nil, text, nil)) == bare + 90)
        #expect(bytes(gif(nil, "", nil, nil, text)) == bare + 90)
        let next = PageContinuation(source: "giphy", position: text)
        #expect(bytes(gif(nil, "", nil, nil, nil), next) == bare + 95)
    }
}
