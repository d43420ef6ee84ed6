import Base
import HTTP
import TestSupport
import Testing

@testable import GiphySearch

/// A store in memory, which tells what it was asked.
@Loop final class FakePages: PageStore {
    var pages: [SearchCacheKey: StoredPage] = [:]
    private(set) var ends: [WallTime] = []

    func page(for key: SearchCacheKey) async -> StoredPage? { pages[key] }
    func keep(_ page: StoredPage, for key: SearchCacheKey, until end: WallTime) {
        pages[key] = page
        ends.append(end)
    }
    func limit(entries: Int) {}
}

@Loop struct SearchPagesTests {
    private let clock = ManualClock()

    private func service(_ http: FakeHTTP, pages: FakePages? = nil, commons: Bool = false) -> SearchService {
        let budget = Budget(account: "a", rule: nil, store: MemoryBudgetStore(), clock: clock)
        let api: any GifAPI =
            commons ? CommonsAPI(contact: "a@b.example", program: "gifbot") : GiphyAPI(key: Secret("k"))
        let source = HTTPGifSource(api, http: http, budget: budget, clock: clock, random: { 0.5 })
        return SearchService(
            sources: [source], cacheEntries: 100, pages: pages, clock: clock, log: Log("search", to: RecordingLog()),
            random: { 7 })
    }

    private func ids(_ answer: Result<SearchPage, SearchFailure>?) -> [String]? { try? answer?.get().gifs.map(\.id) }

    private func commonsPage() throws -> HTTPResponse {
        HTTPResponse(status: 200, body: try fixture("wikimedia-commons-imageinfo.json"))
    }

    nonisolated private static func paged(_ ids: [String], total: Int) -> HTTPResponse {
        var text = String(decoding: giphyPage(ids).body, as: UTF8.self)
        text.removeLast()
        return .json(text + #","pagination":{"total_count":\#(total),"count":2,"offset":0}}"#)
    }

    @Test("pages overlap: what stood on the one before is left out") func nextPage() async throws {
        let http = FakeHTTP { _, count in .respond(Self.paged(count == 1 ? ["a", "b"] : ["b", "c"], total: 40)) }
        let service = service(http)
        let first = try await service.page(for: query("owl")).get()
        let second = await service.page(after: first, of: query("owl"), for: .somebody)
        #expect(ids(second) == ["c"])
        #expect(http.requests[1].url.contains("offset=25"))
        _ = await service.page(after: first, of: query("owl"), for: .somebody)
        #expect(http.requests.count == 2, "it is held like the first")
        let end = try second.get()
        #expect(end.continuation == nil)
        #expect(await service.page(after: end, of: query("owl"), for: .somebody).failure == .nothingFound)
    }

    @Test("BUG-26: what comes by chance is never held, and shared with nobody") func random() async {
        let http = FakeHTTP { _, count in .respond(giphyPage(["r\(count)"])) }
        let service = service(http)
        let asked = SearchQuery(words: "owl", rating: .g, language: "en", kind: .gif, mode: .random)
        let one = Later { await service.page(for: asked) }
        let other = Later { await service.page(for: asked) }
        await letRun()
        #expect(Set([ids(one.value), ids(other.value)]) == [["r1"], ["r2"]])
        #expect(service.held(asked) == nil)
    }

    @Test func byID() async {
        let http = FakeHTTP { _, _ in .respond(giphyPage(["XyZ"])) }
        let service = service(http)
        let found = await service.gif(id: "XyZ", of: "giphy", rating: .pg, for: .somebody)
        #expect((try? found.get())?.id == "XyZ")
        #expect(http.requests[0].url.contains("ids=XyZ") && http.requests[0].url.contains("rating=pg"))
        #expect(await service.gif(id: "x", of: "folder", rating: .pg, for: .somebody).failure == .notOffered)
    }

    @Test("a source whose rating is above the channel's isn't asked") func shutOut() async throws {
        let http = FakeHTTP { _, _ in .respond(.json("{}")) }
        let service = service(http, commons: true)
        #expect(await service.page(for: query("owl", rating: .g)).failure == .nothingSuitable)
        #expect(http.requests.isEmpty)
        let trending = SearchQuery(words: "", rating: .r, language: "en", kind: .gif, mode: .trending)
        #expect(await service.page(for: trending).failure == .notOffered)
    }

    @Test("where the rules allow it a stale answer serves while the source fails") func stale() async throws {
        let body = try commonsPage()
        let http = FakeHTTP { _, count in .respond(count == 1 ? body : .json("{}", status: 500)) }
        let service = service(http, commons: true)
        let asked = query("owl", rating: .pg13)
        #expect(await ids(service.page(for: asked))?.count == 2)
        clock.advance(by: .days(1))
        #expect(service.held(asked) == nil)
        #expect(ids(try await finish(clock) { await service.page(for: asked) })?.count == 2)
        #expect(http.requests.count == 3)
        clock.advance(by: .days(6))
        #expect(try await finish(clock) { await service.page(for: asked) }.failure == .sourcesDown(retryIn: nil))
    }

    @Test("GIPHY's answers are neither stale nor stored") func giphyIsNotKept() async throws {
        let pages = FakePages()
        let http = FakeHTTP { _, count in .respond(count == 1 ? giphyPage(["a"]) : .json("{}", status: 500)) }
        let service = service(http, pages: pages)
        _ = await service.page(for: query("owl"))
        clock.advance(by: .seconds(60))
        #expect(try await finish(clock) { await service.page(for: query("owl")) }.failure == .sourcesDown(retryIn: nil))
        #expect(pages.pages.isEmpty)
    }

    @Test("a page outlives a restart, for as long as it was good for") func restart() async throws {
        let body = try commonsPage()
        let pages = FakePages()
        let asked = query("owl", rating: .pg13)
        _ = await service(FakeHTTP { _, _ in .respond(body) }, pages: pages, commons: true).page(for: asked)
        #expect(pages.ends == [clock.wall.advanced(by: .days(7))])
        clock.advance(by: .hours(23))
        let down = FakeHTTP { _, _ in .respond(.json("{}", status: 500)) }
        let second = service(down, pages: pages, commons: true)
        #expect(await ids(second.page(for: asked))?.count == 2)
        #expect(down.requests.isEmpty && second.held(asked) != nil)
        clock.advance(by: .hours(2))
        #expect(second.held(asked) == nil, "an hour was left of it")
        let third = service(down, pages: pages, commons: true)
        #expect(ids(try await finish(clock) { await third.page(for: asked) })?.count == 2, "stale")
        #expect(down.requests.count == 2)
    }

    @Test("a page as bytes and back; what is cut or changed is no page, or a fit one") func aPageAsBytes() throws {
        let page = try CommonsAPI(contact: "a@b.example", program: "gifbot").page(
            from: commonsPage(), for: PageRequest(query("owl")))
        let bytes = try #require(PageBytes.bytes(of: page))
        let back = try #require(PageBytes.page(from: bytes))
        #expect(back.gifs == page.gifs && back.continuation == page.continuation)
        for cut in 0..<bytes.count { #expect(PageBytes.page(from: Array(bytes[..<cut])) == nil) }
        #expect(PageBytes.page(from: bytes + [0]) == nil)
        for place in bytes.indices {
            for change: UInt8 in [0, 0x0A, 0x7F, 0x80, 0xFF] {
                var changed = bytes
                changed[place] = change
                for gif in PageBytes.page(from: changed)?.gifs ?? [] {
                    #expect(!gif.title.contains { $0.isNewline } && !gif.credit.contains { $0.isNewline })
                    #expect(gif.renditions.allSatisfy { ($0.width ?? 1) * ($0.height ?? 1) > 0 })
                }
            }
        }
    }

    @Test("a channel's own order of sources") func order() async {
        let (one, two) = (FakeSource("giphy", .success([makeGif("a")])), FakeSource("folder", .success([makeGif("b")])))
        let service = SearchService(
            sources: [one, two], cacheEntries: 10, clock: clock, log: Log("search", to: RecordingLog()))
        let other = Asker(share: "x", sources: ["klipy", "folder", "giphy"])
        #expect(await ids(service.page(for: query("owl"), for: other)) == ["b"])
        #expect(await ids(service.page(for: query("owl"))) == ["a"])
        #expect(service.held(query("owl"), for: other)?.gifs.map(\.id) == ["b"])
        #expect(service.statuses(for: other).map(\.name) == ["folder", "giphy"])
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
