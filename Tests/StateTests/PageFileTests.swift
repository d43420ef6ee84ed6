import Base
import Foundation
import GiphySearch
import State
import TestSupport
import Testing

@Suite struct PageFileTests {
    private let scratch = Scratch()
    private let log = RecordingLog()

    init() throws {
        try FileManager.default.createDirectory(atPath: scratch.folder, withIntermediateDirectories: true)
    }

    @Loop private func open() -> PageFile { PageFile(folder: scratch.folder, log: Log("test", to: log)) }

    private func key(_ words: String, rating: Rating = .g, position: String? = nil) -> SearchCacheKey {
        SearchCacheKey(
            query: SearchQuery(words: words, rating: rating, language: "en", kind: .gif), source: "commons",
            generation: 0, fixedRating: .pg13, position: position)
    }

    private func page(_ id: String, at milliseconds: Int64) -> StoredPage {
        let file = Rendition(
            url: "https://upload.wikimedia.org/\(id).gif", width: 4, height: 3, byteCount: nil, mediaType: "image/gif")
        let gif = Gif(
            id: id, source: "commons", title: "Ünïcode \(id)", rating: .pg13, pageURL: nil, author: "A",
            credit: "A, CC0",
            renditions: [file])
        let next = PageContinuation(source: "commons", position: "25")
        return StoredPage(
            page: SearchPage(gifs: [gif], continuation: next), at: WallTime(milliseconds: milliseconds))
    }

    private let far = WallTime(milliseconds: 1_000_000)

    @Test("a page is found after a restart, under its own key alone") @Loop func restart() async throws {
        let first = open()
        first.keep(page("a", at: 1000), for: key("otter"), until: far)
        await first.close()
        let second = open()
        let found = try #require(await second.page(for: key("otter")))
        #expect(found.at == WallTime(milliseconds: 1000))
        #expect(found.page.gifs == page("a", at: 0).page.gifs && found.page.continuation?.position == "25")
        for other in [key("otters"), key("otter", rating: .r), key("otter", position: "25"), key("")] {
            #expect(await second.page(for: other) == nil)
        }
    }

    @Test("two spellings that Swift takes for one are one search") @Loop func spellings() async throws {
        let file = open()
        file.keep(page("a", at: 1), for: key("caf\u{E9}"), until: far)
        file.keep(page("b", at: 2), for: key("caf\u{E8}"), until: far)
        await file.close()
        #expect(await file.page(for: key("cafe\u{301}"))?.page.gifs.first?.id == "a")
        #expect(await file.page(for: key("cafe\u{300}"))?.page.gifs.first?.id == "b")
        #expect(await file.page(for: key("cafe\u{302}")) == nil)
    }

    @Test("a file that is no database is thrown away, and the next one works") @Loop func broken() async throws {
        try Data("this is no database, and long enough to be looked at as one".utf8).write(
            to: URL(fileURLWithPath: scratch.file("cache.db")))
        let file = open()
        #expect(await file.page(for: key("otter")) == nil)
        file.keep(page("a", at: 1), for: key("otter"), until: far)
        await file.close()
        #expect(await file.page(for: key("otter")) != nil)
    }

    @Test("where nothing can be written there is no page, and one line in the log") @Loop func noFolder() async {
        let file = PageFile(folder: scratch.folder + "/nowhere", log: Log("test", to: log))
        for _ in 0..<5 { #expect(await file.page(for: key("otter")) == nil) }
        #expect(log.lines.count <= 2)
    }

    @Test("bounded: what is over goes, and the oldest beyond the limit") @Loop func bounds() async throws {
        let file = open()
        file.limit(entries: 10)
        for number in 0..<120 {
            let end = number < 60 ? WallTime(milliseconds: 50) : far
            file.keep(page("\(number)", at: Int64(number)), for: key("w\(number)"), until: end)
            // Handed over one by one: a burst is bounded.
            await file.close()
        }
        var left = 0
        for number in 0..<120 where await file.page(for: key("w\(number)")) != nil { left += 1 }
        #expect(left >= 10 && left <= 70)
        #expect(await file.page(for: key("w3")) == nil)
        #expect(await file.page(for: key("w119")) != nil)
    }
}
