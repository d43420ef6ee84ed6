import Base
import Foundation
import GiphySearch
import SQLite
@testable import State
import TestSupport
import Testing

@Suite struct PageFileTests {
    private let scratch = Scratch()
    private let log = RecordingLog()

    init() throws {
        try FileManager.default.createDirectory(atPath: scratch.folder, withIntermediateDirectories: true)
    }

    private let clock = ManualClock()

    @Loop private func open() -> PageFile {
        PageFile(folder: scratch.folder, clock: clock, log: Log("test", to: log))
    }

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

    @Test("what isn't stored is not looked for") @Loop func missing() async throws {
        let first = open()
        for number in 0..<100 { #expect(await first.page(for: key("w\(number)")) == nil) }
        #expect(first.looks == 0 && !scratch.exists("cache.db"), "no file, so nothing is in it")
        first.keep(page("a", at: 1), for: key("otter"), until: far)
        #expect(await first.page(for: key("owl")) == nil && first.looks == 0)
        await first.close()

        let second = open()
        #expect(await second.page(for: key("owl")) == nil && second.looks == 1, "what is stored isn't known yet")
        await second.learning?.value
        for number in 0..<100 { #expect(await second.page(for: key("w\(number)")) == nil) }
        #expect(second.looks == 1)
        #expect(await second.page(for: key("otter")) != nil && second.looks == 2)
        #expect(await second.page(for: key("otter", rating: .r)) == nil && second.looks == 2)
    }

    @Test("pages are written together, a second later or when there are many; until then they are found in memory")
    @Loop func together() async throws {
        let file = open()
        for number in 0..<100 { file.keep(page("\(number)", at: 1), for: key("w\(number)"), until: far) }
        #expect(file.writing == nil && !scratch.exists("cache.db"))
        #expect(await file.page(for: key("w99"))?.page.gifs.first?.id == "99" && file.looks == 0)
        clock.advance(by: .seconds(1))
        let batch = try #require(file.writing)
        #expect(await file.page(for: key("w0")) != nil && file.looks == 0)
        await batch.value
        #expect(await file.page(for: key("w0")) != nil && file.looks == 1)
        for number in 100..<228 { file.keep(page("\(number)", at: 1), for: key("w\(number)"), until: far) }
        #expect(file.writing != nil, "so many aren't held back")
        await file.close()
        let again = open()
        for number in 0..<228 { #expect(await again.page(for: key("w\(number)"))?.page.gifs.first?.id == "\(number)") }
    }

    @Test("what went from the file is not looked for for long, and what came is found all the while")
    @Loop func cameAndWent() async throws {
        let file = open()
        file.limit(entries: 10)
        for batch in 0..<10 {
            let numbers = batch * 128..<(batch + 1) * 128
            for number in numbers {
                file.keep(page("\(number)", at: Int64(number)), for: key("w\(number)"), until: far)
            }
            // While a batch is written and the file is read anew, too.
            file.keep(page("next", at: Int64(numbers.upperBound)), for: key("next"), until: far)
            while file.writing != nil {
                #expect(await file.page(for: key("w\(numbers.upperBound - 1)")) != nil)
                #expect(await file.page(for: key("next")) != nil)
            }
        }
        let looks = file.looks
        for number in 0..<900 { #expect(await file.page(for: key("w\(number)")) == nil) }
        #expect(file.looks == looks)
        await file.close()
        #expect(await file.page(for: key("w1279")) != nil)
    }

    @Test("a file whose pages can't be listed isn't taken for an empty one") @Loop func unlisted() async throws {
        try FileManager.default.createDirectory(
            atPath: scratch.file("cache.db"), withIntermediateDirectories: true)
        let file = open()
        for number in 1...5 {
            #expect(await file.page(for: key("otter")) == nil)
            await file.learning?.value
            #expect(file.looks == number)
        }
        #expect(log.lines.count <= 2)
    }

    @Test("killed, it loses what was kept in the last second") @Loop func killed() async throws {
        let file = open()
        file.keep(page("a", at: 1), for: key("otter"), until: far)
        clock.advance(by: .seconds(1))
        await file.writing?.value
        file.keep(page("b", at: 2), for: key("owl"), until: far)
        clock.advance(by: .milliseconds(999))
        #expect(file.writing == nil)
        let left = try scratch.killed()
        let again = PageFile(folder: left.folder, clock: clock, log: Log("test", to: log))
        #expect(await again.page(for: key("otter")) != nil)
        #expect(await again.page(for: key("owl")) == nil)
        clock.advance(by: .milliseconds(1))
        await file.close()
        #expect(await open().page(for: key("owl")) != nil)
    }

    @Test("a slow disk: what is waiting is bounded, and the rest let go of") @Loop func slow() async throws {
        let file = open()
        for number in 0..<1000 { file.keep(page("\(number)", at: 1), for: key("w\(number)"), until: far) }
        await file.close()
        var found = 0
        for number in 0..<1000 where await file.page(for: key("w\(number)")) != nil { found += 1 }
        #expect(found == 384, "128 on their way, 256 behind them")
    }

    @Test("another version's file is thrown away") @Loop func otherVersion() async throws {
        do {
            let database = try Database(path: scratch.file("cache.db"), busyTimeout: .zero)
            try database.execute("CREATE TABLE pages (common TEXT, words TEXT, at INTEGER, until INTEGER, page TEXT)")
        }
        let file = open()
        #expect(await file.page(for: key("otter")) == nil)
        file.keep(page("a", at: 1), for: key("otter"), until: far)
        await file.close()
        #expect(await open().page(for: key("otter")) != nil)
        #expect(log.lines.isEmpty)
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
        let file = PageFile(folder: scratch.folder + "/nowhere", clock: clock, log: Log("test", to: log))
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
