import Base
import HTTP
import TestSupport
import Testing

@testable import GiphySearch

/// A source that answers as told.
@Loop final class FakeSource: GifSource {
    nonisolated let name: String
    nonisolated let policy: ProviderPolicy
    var generation = 0
    var answer: Result<[Gif], SourceFailure>
    var whyNot: SourceFailure?
    private(set) var asked = 0
    private(set) var served = 0

    init(_ name: String, lifetime: Duration = .seconds(60), _ answer: Result<[Gif], SourceFailure>) {
        self.name = name
        self.answer = answer
        var policy = ProviderPolicy.giphy
        policy.keepsResultsFor = lifetime
        self.policy = policy
    }

    func offers(_ query: SearchQuery) -> Bool { query.mode != .translate }
    func refusal(for asker: Asker) -> SourceFailure? { whyNot }
    func pageServed() { served += 1 }

    func page(for request: PageRequest, by deadline: Instant) async throws(SourceFailure) -> SearchPage {
        asked += 1
        return SearchPage(gifs: try answer.get())
    }
}

@Loop struct SearchServiceTests {
    private let clock = ManualClock()
    private let log = RecordingLog()

    private func service(_ sources: [any GifSource], underWay: Int = 256) -> SearchService {
        SearchService(
            sources: sources, cacheEntries: 100, clock: clock, log: Log("search", to: log), maximumUnderWay: underWay)
    }

    private func giphy(_ http: FakeHTTP) -> HTTPGifSource {
        let budget = Budget(account: "a", rule: nil, store: MemoryBudgetStore(), clock: clock)
        return HTTPGifSource(
            GiphyAPI(key: Secret("K3Y%2Fsecret/1")), http: http, budget: budget, clock: clock, random: { 0.5 })
    }

    private func ids(_ answer: Result<SearchPage, SearchFailure>) -> [String]? {
        try? answer.get().gifs.map(\.id)
    }

    private func failure(_ answer: Result<SearchPage, SearchFailure>) -> SearchFailure? {
        if case .failure(let failure) = answer { failure } else { nil }
    }

    // MARK: Cache

    @Test func asksOnceAndHoldsTheAnswer() async {
        let source = FakeSource("giphy", .success([makeGif("a")]))
        let service = service([source])
        #expect(service.held(query("owl")) == nil)
        #expect(await ids(service.page(for: query("owl"))) == ["a"])
        #expect(service.held(query("owl"))?.gifs.map(\.id) == ["a"])
        #expect(await ids(service.page(for: query("owl"))) == ["a"])
        #expect(source.asked == 1)
        #expect(source.served == 2)
    }

    @Test("BUG-25: the age of an answer is monotonic") func clockJumps() async {
        let source = FakeSource("giphy", .success([makeGif("a")]))
        let service = service([source])
        _ = await service.page(for: query("owl"))
        clock.jumpWall(by: .hours(1))
        #expect(service.held(query("owl")) != nil)
        clock.advance(by: .seconds(60))
        #expect(service.held(query("owl")) == nil)
    }

    @Test("BUG-26: a real empty answer is kept, but briefly") func emptyAnswers() async {
        let source = FakeSource("giphy", .success([]))
        let service = service([source])
        #expect(await failure(service.page(for: query("owl"))) == .nothingFound)
        #expect(service.held(query("owl"))?.gifs.isEmpty == true)
        #expect(await failure(service.page(for: query("owl"))) == .nothingFound)
        #expect(source.asked == 1)
        clock.advance(by: .seconds(30))
        #expect(service.held(query("owl")) == nil)
        _ = await service.page(for: query("owl"))
        #expect(source.asked == 2)
    }

    @Test("BUG-20, BUG-26: a failure is not kept") func failuresAreNotKept() async {
        let source = FakeSource("giphy", .failure(.unavailable("x")))
        let service = service([source])
        #expect(await failure(service.page(for: query("owl"))) == .sourcesDown(retryIn: nil))
        #expect(service.held(query("owl")) == nil)
        source.answer = .success([makeGif("a")])
        #expect(await ids(service.page(for: query("owl"))) == ["a"])
    }

    @Test func aNewGenerationIsAskedAgain() async {
        let source = FakeSource("folder", lifetime: .days(1), .success([makeGif("a")]))
        let service = service([source])
        _ = await service.page(for: query("owl"))
        source.generation += 1
        #expect(service.held(query("owl")) == nil)
    }

    @Test func nothingIsKeptWhereThePolicySaysSo() async {
        let source = FakeSource("giphy", lifetime: .zero, .success([makeGif("a")]))
        let service = service([source])
        _ = await service.page(for: query("owl"))
        #expect(service.held(query("owl")) == nil)
    }

    // MARK: Sharing

    @Test("BUG-26: fifty equal searches are one call") func stampede() async {
        let http = FakeHTTP { _, _ in .wait(then: .respond(giphyPage(["a"]))) }
        let service = service([giphy(http)])
        let askers = (0..<50).map { _ in Later { await service.page(for: query("owl")) } }
        await letRun()
        #expect(http.requests.count == 1)
        #expect(askers.allSatisfy { $0.value == nil })
        http.release()
        await letRun()
        #expect(askers.allSatisfy { $0.value.flatMap(ids) == ["a"] })
        #expect(http.requests.count == 1)
        #expect(service.held(query("owl")) != nil)
        #expect(clock.nextDue == nil)
    }

    @Test("BUG-26: a failure reaches all who wait") func sharedFailure() async {
        let http = FakeHTTP { _, _ in .wait(then: .respond(.json("{}", status: 400))) }
        let service = service([giphy(http)])
        let askers = (0..<50).map { _ in Later { await service.page(for: query("owl")) } }
        await letRun()
        http.release()
        await letRun()
        #expect(askers.allSatisfy { $0.value.flatMap(failure) == .sourcesDown(retryIn: nil) })
        #expect(http.requests.count == 1)
        let next = Later { await service.page(for: query("owl")) }
        await letRun()
        #expect(http.requests.count == 2)
        http.release()
        await letRun()
        #expect(next.value != nil)
    }

    @Test("Who waits for a search of somebody without calls, and has some, searches once more")
    func anothersBudget() async {
        let calls = FakeHTTP { _, _ in .respond(giphyPage(["a"])) }
        let rule = BudgetRule(count: 2, period: .hours(1))
        let budget = Budget(account: "a", rule: rule, store: MemoryBudgetStore(), clock: clock, channels: 2)
        let giphy = HTTPGifSource(GiphyAPI(key: Secret("key")), http: calls, budget: budget, clock: clock)
        let other = FakeHTTP { _, _ in .wait(then: .respond(.json("{}", status: 400))) }
        let free = Budget(account: "b", rule: nil, store: MemoryBudgetStore(), clock: clock)
        let klipy = HTTPGifSource(KlipyAPI(key: Secret("key")), http: other, budget: free, clock: clock)
        let service = service([giphy, klipy])
        _ = await service.page(for: query("cat"), for: Asker(share: "a"))
        #expect(calls.requests.count == 1)
        let first = Later { await service.page(for: query("owl"), for: Asker(share: "a")) }
        await letRun()
        let others = (0..<3).map { _ in Later { await service.page(for: query("owl"), for: Asker(share: "b")) } }
        await letRun()
        #expect(calls.requests.count == 1 && other.requests.count == 1)
        other.release()
        await letRun()
        #expect(first.value.flatMap(failure) == .sourcesDown(retryIn: nil))
        #expect(others.allSatisfy { $0.value.flatMap(ids) == ["a"] })
        #expect(calls.requests.count == 2, "together")
    }

    @Test("BUG-26: one asker who goes doesn't fail the others") func cancelledAsker() async {
        let http = FakeHTTP { _, _ in .wait(then: .respond(giphyPage(["a"]))) }
        let service = service([giphy(http)])
        let first = Later { await service.page(for: query("owl")) }
        let second = Later { await service.page(for: query("owl")) }
        await letRun()
        first.cancel()
        await letRun()
        #expect(first.value.flatMap(failure) == .sourcesDown(retryIn: nil))
        #expect(second.value == nil)
        http.release()
        await letRun()
        #expect(second.value.flatMap(ids) == ["a"])
        #expect(http.requests.count == 1)
        #expect(http.cancelled == 0)
    }

    @Test func whenNobodyWaitsAnyMoreTheCallIsCancelled() async {
        let http = FakeHTTP { _, _ in .wait(then: .respond(giphyPage(["a"]))) }
        let service = service([giphy(http)])
        let askers = (0..<3).map { _ in Later { await service.page(for: query("owl")) } }
        await letRun()
        for asker in askers { asker.cancel() }
        await letRun()
        #expect(askers.allSatisfy { $0.value != nil })
        #expect(http.cancelled == 1)
        #expect(clock.nextDue == nil)
        #expect(log.lines.isEmpty)
        // A new asker gets a call of his own.
        let next = Later { await service.page(for: query("owl")) }
        await letRun()
        #expect(http.requests.count == 2)
        http.release()
        await letRun()
        #expect(next.value.flatMap(ids) == ["a"])
    }

    @Test func tooManyAtOnceAreTurnedAway() async {
        let http = FakeHTTP { _, _ in .wait(then: .respond(giphyPage(["a"]))) }
        let service = service([giphy(http)], underWay: 2)
        let askers = ["a", "b", "c"].map { word in Later { await service.page(for: query(word)) } }
        await letRun()
        #expect(askers[2].value.flatMap(failure) == .busy)
        http.release()
        await letRun()
        #expect(askers[0].value.flatMap(ids) == ["a"])
        #expect(await ids(service.page(for: query("a"))) == ["a"])
    }

    @Test func aSearchEndsInTenSecondsWhateverTheSourceDoes() async {
        let http = FakeHTTP { _, _ in .wait(then: .respond(giphyPage(["a"]))) }
        let service = service([giphy(http)])
        let asker = Later { await service.page(for: query("owl")) }
        await letRun()
        clock.advance(by: .seconds(9))
        await letRun()
        #expect(asker.value == nil)
        clock.advance(by: .seconds(1))
        await letRun()
        #expect(asker.value.flatMap(failure) == .sourcesDown(retryIn: nil))
        #expect(http.cancelled == 1)
    }

    // MARK: Several sources

    @Test func theNextSourceIsAskedWhenOneFails() async {
        let first = FakeSource("giphy", .failure(.unavailable("x")))
        let second = FakeSource("folder", .success([makeGif("b", source: "folder")]))
        let service = service([first, second])
        #expect(await ids(service.page(for: query("owl"))) == ["b"])
        first.whyNot = .resting(retryIn: .seconds(5))
        #expect(service.held(query("owl"))?.gifs.map(\.id) == ["b"])
        first.whyNot = nil
        #expect(service.held(query("owl")) == nil)
    }

    @Test func theNextSourceIsAskedWhenOneHasNothing() async {
        let first = FakeSource("giphy", .success([]))
        let second = FakeSource("folder", .success([makeGif("b", source: "folder")]))
        let service = service([first, second])
        #expect(await ids(service.page(for: query("owl"))) == ["b"])
        #expect(service.held(query("owl"))?.gifs.map(\.id) == ["b"])
        #expect(first.asked == 1)
    }

    @Test("BUG-23: only unsuitable ones are told from none at all") func aboveTheRating() async {
        let first = FakeSource("giphy", .success([makeGif("a", rating: .r)]))
        let second = FakeSource("folder", .success([]))
        let service = service([first, second])
        #expect(await ids(service.page(for: query("owl"))) == ["a"])
        #expect(service.held(query("owl"))?.gifs.map(\.id) == ["a"])
        second.answer = .success([makeGif("b", source: "folder")])
        #expect(await ids(service.page(for: query("fox"))) == ["b"])
    }

    @Test(
        "BUG-20: never 'nothing found' where a source refused",
        arguments: [
            (SourceFailure.badKey(status: 403), SearchFailure.badKey), (.unavailable("x"), .sourcesDown(retryIn: nil)),
            (.rateLimited(retryIn: .minutes(10)), .sourcesDown(retryIn: .minutes(10))),
            (.resting(retryIn: .seconds(9)), .sourcesDown(retryIn: .seconds(9))),
            (.budgetUsedUp(returnsIn: .minutes(3)), .budgetUsedUp(returnsIn: .minutes(3))),
            (.badRequest(status: 414), .sourcesDown(retryIn: nil)),
            (.timedOut, .sourcesDown(retryIn: nil)),
        ])
    func refusals(why: SourceFailure, told: SearchFailure) async {
        let service = service([FakeSource("giphy", .failure(why)), FakeSource("folder", .success([]))])
        #expect(await failure(service.page(for: query("owl"))) == told)
    }

    @Test(
        arguments: [
            (
                [.budgetUsedUp(returnsIn: .seconds(9)), .budgetUsedUp(returnsIn: .seconds(3))],
                .budgetUsedUp(returnsIn: .seconds(3))
            ),
            ([.badKey(status: 401), .budgetUsedUp(returnsIn: .seconds(3))], .budgetUsedUp(returnsIn: .seconds(3))),
            ([.badKey(status: 401), .unavailable("x")], .sourcesDown(retryIn: nil)),
            ([.badKey(status: 401), .badKey(status: 403)], .badKey),
            (
                [.resting(retryIn: .seconds(5)), .budgetUsedUp(returnsIn: .seconds(3))],
                .sourcesDown(retryIn: .seconds(3))
            ), ([], .nothingFound),
        ] as [([SourceFailure], SearchFailure)])
    func oneSentenceForAll(failures: [SourceFailure], told: SearchFailure) {
        #expect(SearchFailure(of: failures) == told)
    }

    // MARK: Log

    @Test("BUG-20, BUG-32: the log tells changes, without words, key or address") func logging() async {
        let http = FakeHTTP { _, count in count == 1 ? .respond(.json("{}", status: 403)) : .respond(giphyPage(["a"])) }
        let source = giphy(http)
        let service = service([source])
        for _ in 0..<5 { _ = await service.page(for: query("private words")) }
        #expect(log.lines.count == 1)
        #expect(log.lines[0].contains("source=giphy"))
        #expect(log.lines[0].contains("HTTP 403"))
        for form in ["K3Y", "private", "words", "api_key", "http"] { #expect(!log.lines[0].contains(form)) }
    }

    @Test func recoveryIsLogged() async {
        let source = FakeSource("giphy", .failure(.unavailable("x")))
        let service = service([source])
        for _ in 0..<3 { _ = await service.page(for: query("owl")) }
        source.answer = .success([makeGif("a")])
        _ = await service.page(for: query("owl"))
        source.answer = .failure(.timedOut)
        _ = await service.page(for: query("fox"))
        #expect(
            log.lines == [
                "source gives no answer source=giphy reason=x", "source answers again source=giphy",
                "source gives no answer source=giphy reason=no answer in time",
            ])
    }

    // MARK: Reload

    @Test("BUG-29: a reload keeps what is cached, and a search under way ends as it began") func update() async {
        let http = FakeHTTP { _, _ in .wait(then: .respond(giphyPage(["a"]))) }
        let old = giphy(http)
        let service = service([old])
        let asker = Later { await service.page(for: query("owl")) }
        await letRun()
        let other = FakeSource("folder", .success([makeGif("b", source: "folder")]))
        service.update(sources: [other, old], cacheEntries: 100)
        http.release()
        await letRun()
        #expect(asker.value.flatMap(ids) == ["a"])
        service.update(sources: [old], cacheEntries: 100)
        #expect(service.held(query("owl"))?.gifs.map(\.id) == ["a"])
        #expect(service.policy(of: "giphy") == .giphy)
        #expect(service.policy(of: "folder") == nil)
    }
}
