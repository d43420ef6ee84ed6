import Base
import HTTP
import TestSupport
import Testing

@testable import GiphySearch

/// What there is instead of nothing: GIPHY's translation of the words, and words that it relates to them.
@Loop struct InsteadTests {
    nonisolated private static let empty = HTTPResponse.json(
        #"{"data":[],"pagination":{"total_count":0},"meta":{"status":200,"response_id":"r"}}"#)
    nonisolated private static let terms = HTTPResponse.json(
        #"{"data":[{"name":"Owls"},{"name":"owl"},{"name":"barn owl"}],"meta":{"status":200,"response_id":"r"}}"#)

    private let clock = ManualClock()
    private let log = RecordingLog()

    /// GIPHY with nothing for any words; `instead` answers the other end points.
    private func http(_ instead: @escaping @Sendable (HTTPRequest) -> FakeHTTP.Step) -> FakeHTTP {
        FakeHTTP { request, _ in
            request.url.contains("/search?") ? .respond(Self.empty) : instead(request)
        }
    }

    private func service(
        _ http: FakeHTTP, translates: Bool = true, suggests: Bool = true, budget rule: BudgetRule? = nil,
        and others: [any GifSource] = []
    ) -> SearchService {
        let api = GiphyAPI(key: Secret("k"), translates: translates, suggests: suggests)
        let budget = Budget(account: "giphy", rule: rule, store: MemoryBudgetStore(), clock: clock)
        let source = HTTPGifSource(api, http: http, budget: budget, clock: clock, random: { 0.5 })
        return SearchService(
            sources: [source] + others, cacheEntries: 100, clock: clock, log: Log("search", to: log))
    }

    private func isTranslation(_ request: HTTPRequest) -> Bool { request.url.contains("/translate?") }

    @Test("Where nothing is found one more call brings a GIF, which is held like others")
    func translation() async {
        let http = http { _ in .respond(giphyPage(["t"])) }
        let service = service(http)
        for _ in 0..<3 {
            #expect(await service.page(for: query("owl")).map { $0.gifs.map(\.id) } == .success(["t"]))
        }
        #expect(http.requests.count == 2 && isTranslation(http.requests[1]))
        clock.advance(by: .seconds(61))
        _ = await service.page(for: query("owl"))
        #expect(http.requests.count == 4)
    }

    @Test("Where that is nothing too, one more brings words, which are held for a moment")
    func suggestions() async {
        let http = http { request in
            .respond(request.url.contains("/translate?") ? Self.empty : Self.terms)
        }
        let service = service(http)
        for _ in 0..<3 {
            let answer = await service.page(for: query("owl")).map(\.gifs.count)
            #expect(answer == .failure(.nothingFoundBut(known: ["owls", "barn owl"])))
        }
        #expect(http.requests.count == 3)
        #expect(http.requests[2].url == "https://api.giphy.com/v1/tags/related/owl?api_key=k")
        clock.advance(by: .seconds(31))
        _ = await service.page(for: query("owl"))
        #expect(http.requests.count == 6)
    }

    @Test("Unless it is asked for, nothing costs a call but the search", arguments: [false, true])
    func off(isRandom: Bool) async {
        let http = http { _ in .respond(isRandom ? Self.empty : giphyPage(["t"])) }
        // Something by chance, or what is trending, isn't translated either.
        let service = service(http, translates: isRandom, suggests: isRandom)
        let asked =
            isRandom ? SearchQuery(words: "owl", rating: .g, language: "en", kind: .gif, mode: .random) : query("owl")
        #expect(await service.page(for: asked).map(\.gifs.count) == .failure(.nothingFound))
        #expect(http.requests.count == 1)
    }

    @Test("It stays within the budget, the rating and the time; what fails is as if it weren't there")
    func bounds() async throws {
        let within = http { _ in .respond(giphyPage(["t"])) }
        let poor = service(within, budget: BudgetRule(count: 1, period: .hours(1)))
        #expect(await poor.page(for: query("owl")).map(\.gifs.count) == .failure(.nothingFound))
        #expect(within.requests.count == 1)

        let unfit = http { request in
            .respond(request.url.contains("/translate?") ? giphyPage(["t"], rating: "r") : Self.empty)
        }
        #expect(await service(unfit).page(for: query("owl")).map(\.gifs.count) == .failure(.nothingFound))
        #expect(unfit.requests.count == 3 && unfit.requests[1].url.contains("rating=g"))

        for step in [
            FakeHTTP.Step.wait(then: .respond(Self.empty)), .respond(.json("<html>")),
            .respond(.json("{}", status: 500)),
            .fail(.timedOut(host: "h")), .respond(.json("{}", status: 404)),
        ] {
            let http = http { _ in step }
            let service = service(http)
            let began = clock.now
            let answer = try await finish(clock) { await service.page(for: query("owl")).map(\.gifs.count) }
            #expect(answer == .failure(.nothingFound), "\(step)")
            #expect(began.duration(to: clock.now) <= SearchService.timeLimit)
        }
    }

    @Test("What finds no budget for more doesn't make its channel one that waits")
    func nobodyWaits() async throws {
        let api = GiphyAPI(key: Secret("k"), translates: true, suggests: true)
        let rule = BudgetRule(count: 1, period: .hours(1))
        let budget = Budget(account: "giphy", rule: rule, store: MemoryBudgetStore(), clock: clock)
        let source = HTTPGifSource(
            api, http: http { _ in .respond(giphyPage(["t"])) }, budget: budget, clock: clock, random: { 0.5 })
        let service = SearchService(
            sources: [source], cacheEntries: 100, clock: clock, log: Log("search", to: log))
        #expect(await service.page(for: query("owl")).map(\.gifs.count) == .failure(.nothingFound))
        let share = try #require(budget.shares.table[Asker.somebody.share])
        #expect(share.calls == 1 && !share.isWaiting)
        // A search that is refused does.
        _ = await service.page(for: query("hen"))
        #expect(budget.shares.table[Asker.somebody.share]?.isWaiting == true)
    }

    @Test("Its failures keep no search away; a key that is refused or used up does", arguments: [500, 401, 429])
    func failures(status: Int) async throws {
        let http = http { _ in .respond(.json("{}", status: status)) }
        let service = service(http)
        let words = ["a", "b", "c", "d", "e"]
        for word in words { _ = try await finish(clock) { await service.page(for: query(word)).map(\.gifs.count) } }
        let searches = http.requests.filter { $0.url.contains("/search?") }
        #expect(searches.count == (status == 500 ? words.count : 1))
        // Two calls more each, and none of them twice.
        #expect(http.requests.count == (status == 500 ? 3 * words.count : 2))
    }

    @Test("All sources are asked first, and one that failed isn't asked for something else")
    func order() async {
        let other = FakeSource("folder", .success([makeGif("f", source: "folder")]))
        let first = http { _ in .respond(giphyPage(["t"])) }
        #expect(await service(first, and: [other]).page(for: query("owl")).map { $0.gifs[0].id } == .success("f"))
        #expect(first.requests.count == 1)
        other.answer = .failure(.badRequest(status: 400))
        let second = http { _ in .respond(giphyPage(["t"])) }
        #expect(
            await service(second, and: [other]).page(for: query("owl2")).map(\.gifs.count)
                == .failure(.sourcesDown(retryIn: nil)))
        #expect(second.requests.count == 1)
    }

    // MARK: GIPHY

    private let api = GiphyAPI(key: Secret("K3Y%2Fsecret/1"), translates: true, suggests: true)

    private func translation(_ words: String, kind: GifKind = .gif) -> PageRequest {
        PageRequest(SearchQuery(words: words, rating: .pg, language: "en", kind: kind, mode: .translate))
    }

    @Test func requests() throws {
        let gif = try #require(api.request(for: translation("c++ & 🐱")))
        #expect(
            gif.url.hasPrefix(
                "https://api.giphy.com/v1/gifs/translate?api_key=K3Y%252Fsecret%2F1&s=c%2B%2B%20%26%20%F0%9F%90%B1&rating=pg&fields="
            ))
        #expect(!gif.url.contains("limit=") && !gif.url.contains("lang="))
        let sticker = try #require(api.request(for: translation("owl", kind: .sticker)))
        #expect(sticker.url.hasPrefix("https://api.giphy.com/v1/stickers/translate?"))
        #expect(api.request(for: translation("")) == nil)
        #expect(!GiphyAPI(key: Secret("k")).offers(translation("owl").query) && api.offers(translation("owl").query))

        let terms = try #require(api.termsRequest(for: PageRequest(query("ac/dc? a&b"))))
        #expect(terms.url == "https://api.giphy.com/v1/tags/related/ac%2Fdc%3F%20a%26b?api_key=K3Y%252Fsecret%2F1")
        #expect(!terms.followsRedirects && terms.maximumBody < 1 << 20)
        for words in [".", "..", "..."] { #expect(api.termsRequest(for: PageRequest(query(words))) == nil) }
        #expect(GiphyAPI(key: Secret("k")).termsRequest(for: PageRequest(query("owl"))) == nil)
    }

    @Test("giphy-translate: one object, or an empty list") func translate() throws {
        let body = HTTPResponse(status: 200, body: try fixture("giphy-translate.json"))
        let found = try api.page(from: body, for: translation("owl"))
        #expect(found.gifs.map(\.id) == ["trnslt0Lab1"] && found.continuation == nil)
        let none = HTTPResponse(status: 200, body: try fixture("giphy-random-empty-array.json"))
        #expect(try api.page(from: none, for: translation("owl")).gifs.isEmpty)
    }

    @Test("giphy-related-terms: words alone, each once; a refusal, an outage and garbage are none")
    func relatedTerms() throws {
        let body = HTTPResponse(status: 200, body: try fixture("giphy-related-terms.json"))
        #expect(try api.terms(from: body) == ["river animals", "swimming"])
        let odd =
            #"{"data":[{"name":"a b"},null,7,{},{"name":""},{"name":"https://x.example"},{"name":"!gif x"},"#
            + #"{"name":"A B"},{"name":"x\r\ny"},{"name":"\#(String(repeating: "w", count: 41))"},"plain",{"name":"été"}]}"#
        #expect(try api.terms(from: .json(odd)) == ["a b", "plain", "été"])
        #expect(try api.terms(from: .json(#"{"data":[],"meta":{"status":200,"response_id":"r"}}"#)) == [])
        for (response, isRight) in [
            (HTTPResponse.json("{}", status: 429), { if case .rateLimited = $0 { true } else { false } }),
            (.json("{}", status: 401), { $0 == .badKey(status: 401) }),
            (.json("{}", status: 404), { $0 == .badRequest(status: 404) }),
            (.json(#"{"data":[],"meta":{"status":429}}"#), { if case .rateLimited = $0 { true } else { false } }),
            (.json(#"{"data":[],"meta":{"status":401}}"#), { $0 == .badKey(status: 401) }),
            (.json(#"{"data":[],"meta":{"status":414}}"#), { $0 == .badRequest(status: 414) }),
            (
                .json(#"{"data":[],"meta":{"status":200,"response_id":""}}"#),
                { if case .unavailable = $0 { true } else { false } }
            ),
            (.json("<html>"), { if case .unavailable = $0 { true } else { false } }),
            (.json("{}"), { if case .unavailable = $0 { true } else { false } }),
        ] as [(HTTPResponse, (SourceFailure) -> Bool)] {
            do throws(SourceFailure) {
                _ = try api.terms(from: response)
                Issue.record("no failure")
            } catch {
                #expect(isRight(error), "\(error)")
            }
        }
    }
}
