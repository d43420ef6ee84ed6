import Base
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import GiphySearch

/// Ten thousand searches of every kind over sources that fail in every way.
@Loop struct RandomFaultTests {
    nonisolated private static let key = "K3Y%2Fsecret/1"
    private static let searches = 10_000

    /// What a transfer may come to; what curl would cut off (a drip, 44 MB) ends as curl ends it.
    nonisolated private static func step(_ request: HTTPRequest, _ chance: UInt64) -> FakeHTTP.Step {
        let faults: [FakeHTTP.Step] = [
            .wait(then: .respond(.json("{}"))), .fail(.timedOut(host: "h")), .fail(.bodyTooLarge(limit: 2 << 20)),
            .fail(.redirectRefused(host: "h")), .fail(.broken(host: "h", reason: "cut")),
            .fail(.nameLookupFailed(host: "h")), .fail(.tlsFailed(host: "h", reason: "expired")), .fail(.overloaded),
            .fail(.connectFailed(host: "h", reason: "refused")), .respond(.json("<html>\(key)")),
            .respond(.json(#"{"data":["#)), .respond(.json("{}", status: 500)),
            .respond(.json(#"{"message":"\#(key)"}"#, status: 400)),
            .respond(HTTPResponse(status: 200, body: [UInt8](repeating: UInt8(ascii: "["), count: 100_000))),
            .respond(.json(#"{"data":[],"meta":{"status":200,"response_id":""}}"#)),
            .respond(.json(#"{"message":"\#(key)"}"#, status: 429)),
        ]
        // A refusal for long is seldom, or nothing else would be met.
        if chance % 400 == 0 { return faults[faults.count - 1] }
        if chance % 3 == 0 { return faults[Int(chance / 3 % UInt64(faults.count - 1))] }
        if request.url.contains("klipy") { return .respond(.json(#"{"results":[],"next":""}"#)) }
        if request.url.contains("wikimedia") { return .respond(.json(#"{"batchcomplete":true}"#)) }
        return .respond(giphyPage(["a\(chance)", "b\(chance)"]))
    }

    @Test func tenThousand() async throws {
        let clock = ManualClock()
        let log = RecordingLog()
        let generator = Mutex(SeededGenerator(seed: 11))
        let http = FakeHTTP { request, _ in Self.step(request, generator.withLock { $0.next() }) }
        let cache = 50
        let service = self.service(http, clock, log, cache: cache)
        var random = SeededGenerator(seed: 12)
        var outcomes: [String: Int] = [:]
        for round in 0..<Self.searches / 50 {
            let began = clock.now
            let askers = (0..<50).map { number in
                let asked = Self.query(&random)
                let asker = Asker(share: "net/#\(Int.random(in: 0..<20, using: &random))")
                return Later { (await service.page(for: asked, for: asker), clock.now, number) }
            }
            while askers.contains(where: { $0.value == nil }) {
                await letRun()
                guard askers.contains(where: { $0.value == nil }) else { break }
                let due = try #require(clock.nextDue, "round \(round): somebody waits, and nothing is going to happen")
                #expect(began.duration(to: due) <= SearchService.timeLimit)
                clock.advance(by: clock.now.duration(to: due))
            }
            for asker in askers {
                let (answer, end, _) = try #require(asker.value)
                #expect(began.duration(to: end) <= SearchService.timeLimit)
                outcomes[Self.kind(answer), default: 0] += 1
            }
            #expect(service.cache.count <= cache)
            clock.advance(by: .seconds(Int.random(in: 1...40, using: &random)))
        }
        #expect(outcomes.values.reduce(0, +) == Self.searches)
        #expect((outcomes["found"] ?? 0) > 100 && (outcomes["sourcesDown"] ?? 0) > 100, "\(outcomes)")
        #expect(service.attempts.waiting == 0)
        for line in log.lines { #expect(!line.contains("K3Y") && !line.contains("secret")) }
        #expect(log.lines.count < Self.searches / 2, "the log tells changes")
    }

    private func service(_ http: FakeHTTP, _ clock: ManualClock, _ log: RecordingLog, cache: Int) -> SearchService {
        let apis: [any GifAPI] = [
            GiphyAPI(key: Secret(Self.key)), KlipyAPI(key: Secret(Self.key)),
            CommonsAPI(contact: "a@b.example", program: "gifbot"),
        ]
        let store = MemoryBudgetStore()
        let sources = apis.map { api in
            let budget = Budget(
                account: api.name, rule: BudgetRule(count: 1000, period: .hours(1)), store: store, clock: clock)
            return HTTPGifSource(api, http: http, budget: budget, clock: clock, random: { 0.5 })
        }
        return SearchService(
            sources: sources, cacheEntries: cache, clock: clock, log: Log("search", to: log), random: { 5 })
    }

    private static func query(_ random: inout SeededGenerator) -> SearchQuery {
        let mode = [SearchQuery.Mode.search, .search, .search, .random, .trending].randomElement(using: &random)!
        let words = mode == .trending ? "" : "w\(Int.random(in: 0..<300, using: &random))"
        return SearchQuery(
            words: words, rating: Rating.allCases.randomElement(using: &random)!, language: "en",
            kind: Int.random(in: 0..<10, using: &random) == 0 ? .sticker : .gif, mode: mode)
    }

    private static func kind(_ answer: Result<SearchPage, SearchFailure>) -> String {
        switch answer {
        case .success: "found"
        case .failure(let failure): String("\(failure)".prefix { $0 != "(" })
        }
    }
}
