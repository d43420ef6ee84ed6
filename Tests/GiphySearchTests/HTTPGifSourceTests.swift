import Base
import HTTP
import TestSupport
import Testing

@testable import GiphySearch

@Loop struct HTTPGifSourceTests {
    private let clock = ManualClock()
    private let store = MemoryBudgetStore()

    private func source(_ http: FakeHTTP, budget rule: BudgetRule? = BudgetRule(count: 100, period: .hours(1)))
        -> HTTPGifSource
    {
        let api = GiphyAPI(key: Secret("K3Y%2Fsecret/1"))
        let budget = Budget(account: "giphy:1", rule: rule, store: store, clock: clock)
        return HTTPGifSource(api, http: http, budget: budget, clock: clock, random: { 0.5 })
    }

    private func ask(_ source: HTTPGifSource, _ words: String = "owl") async throws -> Result<[Gif], SourceFailure> {
        let deadline = clock.now.advanced(by: .seconds(10))
        return try await finish(clock) {
            do throws(SourceFailure) {
                return .success(try await source.gifs(for: query(words), by: deadline))
            } catch {
                return .failure(error)
            }
        }
    }

    private var spent: Int { store.calls(of: "giphy:1", since: WallTime(milliseconds: 0)).count }

    @Test func aGoodAnswer() async throws {
        let http = FakeHTTP { _, _ in .respond(giphyPage(["a", "b"])) }
        let source = source(http)
        #expect(try await ask(source).get().map(\.id) == ["a", "b"])
        #expect(spent == 1)
        #expect(source.refusal() == nil)
    }

    @Test(
        "BUG-20: a server error, an outage page and a broken transfer are tried once more",
        arguments: [
            FakeHTTP.Step.respond(.json("{}", status: 500)), .respond(.json("<html>", status: 502)),
            .respond(.json("<html>")),
            .respond(.json(#"{"data":[],"meta":{"status":200,"msg":"OK","response_id":""}}"#)),
            .fail(.broken(host: "api.giphy.com", reason: "reset")),
        ])
    func retry(first: FakeHTTP.Step) async throws {
        let http = FakeHTTP { _, count in count == 1 ? first : .respond(giphyPage(["a"])) }
        #expect(try await ask(source(http)).get().map(\.id) == ["a"])
        #expect(http.requests.count == 2)
        #expect(http.requests[0].url == http.requests[1].url)
        #expect(spent == 2)
    }

    @Test("BUG-20: a refused request is not tried again", arguments: [400, 401, 403, 404, 414, 429])
    func noRetry(status: Int) async throws {
        let http = FakeHTTP { _, _ in .respond(.json("{}", status: status)) }
        guard case .failure = try await ask(source(http)) else {
            Issue.record("no failure")
            return
        }
        #expect(http.requests.count == 1)
    }

    @Test func onlyOnceMore() async throws {
        let http = FakeHTTP { _, _ in .respond(.json("{}", status: 503)) }
        #expect(try await ask(source(http)) == .failure(.unavailable("HTTP status 503")))
        #expect(http.requests.count == 2)
    }

    @Test("BUG-20: 429 is left alone for ten minutes, whatever retry-after: 0 says") func coolDown() async throws {
        let http = FakeHTTP { _, count in
            count == 1
                ? .respond(.json(#"{"message":"limit"}"#, status: 429, headers: [HTTPHeader("retry-after", "0")]))
                : .respond(giphyPage(["a"]))
        }
        let source = source(http)
        #expect(try await ask(source) == .failure(.rateLimited(retryIn: .minutes(10))))
        clock.advance(by: .minutes(9))
        #expect(source.refusal() == .rateLimited(retryIn: .minutes(1)))
        #expect(try await ask(source) == .failure(.rateLimited(retryIn: .minutes(1))))
        #expect(http.requests.count == 1)
        clock.advance(by: .minutes(1))
        #expect(source.refusal() == nil)
        #expect(try await ask(source).get().count == 1)
    }

    @Test("BUG-20: a refused key is not asked again", arguments: [401, 403]) func latch(status: Int) async throws {
        let http = FakeHTTP { _, _ in .respond(.json("no", status: status, headers: [HTTPHeader("retry-after", "0")])) }
        let source = source(http)
        _ = try await ask(source)
        clock.advance(by: .days(30))
        #expect(source.refusal() == .badKey(status: status))
        _ = try await ask(source)
        #expect(http.requests.count == 1)
    }

    @Test func restsAfterAnOutageAndTriesAgain() async throws {
        let http = FakeHTTP { _, count in count <= 6 ? .respond(.json("{}", status: 500)) : .respond(giphyPage(["a"])) }
        let source = source(http)
        for _ in 0..<3 { _ = try await ask(source) }
        guard case .resting(let rest) = source.refusal() else {
            Issue.record("no rest")
            return
        }
        #expect(rest > .seconds(5) && rest <= .seconds(10))
        _ = try await ask(source)
        #expect(http.requests.count == 6)
        clock.advance(by: rest)
        #expect(try await ask(source).get().count == 1)
        #expect(source.refusal() == nil)
    }

    @Test(
        "a call that never left is given back",
        arguments: [
            (HTTPError.nameLookupFailed(host: "h"), 0), (.connectFailed(host: "h", reason: "r"), 0),
            (.tlsFailed(host: "h", reason: "r"), 0),
            (.overloaded, 0), (.addressRefused, 0), (.broken(host: "h", reason: "r"), 2), (.bodyTooLarge(limit: 1), 2),
            (.timedOut(host: "h"), 1),
            (.redirectRefused(host: "h"), 2), (.cancelled, 1),
        ] as [(HTTPError, Int)])
    func givenBack(error: HTTPError, charged: Int) async throws {
        let http = FakeHTTP { _, _ in .fail(error) }
        _ = try await ask(source(http))
        #expect(spent == charged)
    }

    @Test func theBudgetEndsTheCalls() async throws {
        let http = FakeHTTP { _, _ in .respond(giphyPage(["a"])) }
        let source = source(http, budget: BudgetRule(count: 2, period: .minutes(1)))
        for _ in 0..<2 { _ = try await ask(source) }
        #expect(source.refusal() == .budgetUsedUp(returnsIn: .minutes(1)))
        #expect(try await ask(source) == .failure(.budgetUsedUp(returnsIn: .minutes(1))))
        #expect(http.requests.count == 2)
    }

    /// The last call of the budget fails: no second try, and the failure is what is told.
    @Test func aRetryIsPaidForToo() async throws {
        let http = FakeHTTP { _, _ in .respond(.json("{}", status: 500)) }
        let source = source(http, budget: BudgetRule(count: 1, period: .minutes(1)))
        #expect(try await ask(source) == .failure(.unavailable("HTTP status 500")))
        #expect(http.requests.count == 1)
    }

    @Test func theRequestHasNoMoreTimeThanTheSearch() async throws {
        let http = FakeHTTP { _, _ in .respond(giphyPage(["a"])) }
        let source = source(http)
        let deadline = clock.now.advanced(by: .seconds(2))
        _ = try await finish(clock) { try? await source.gifs(for: query("owl"), by: deadline) }
        #expect(http.requests[0].timeout == .seconds(2))
    }

    @Test(
        "BUG-32: no failure's text holds the key",
        arguments: [
            FakeHTTP.Step.fail(.nameLookupFailed(host: "api.giphy.com")),
            .fail(.tlsFailed(host: "api.giphy.com", reason: "expired")),
            .fail(.timedOut(host: "api.giphy.com")), .fail(.redirectRefused(host: "evil.example")),
            .fail(.addressRefused),
            .fail(.bodyTooLarge(limit: 5)), .fail(.overloaded), .fail(.cancelled),
            .fail(.connectFailed(host: "api.giphy.com", reason: "refused")),
            .respond(.json(#"{"message":"bad key K3Y%2Fsecret/1"}"#, status: 403)), .respond(.json("K3Y%2Fsecret/1")),
            .respond(.json(#"{"meta":{"status":400,"msg":"K3Y%2Fsecret/1"}}"#)),
            .respond(.json("K3Y%2Fsecret/1", status: 500)),
        ])
    func texts(step: FakeHTTP.Step) async throws {
        let http = FakeHTTP { _, _ in step }
        guard case .failure(let failure) = try await ask(source(http)) else {
            Issue.record("no failure")
            return
        }
        #expect(!failure.description.isEmpty)
        for form in ["K3Y", "secret", "%2F", "%252F"] {
            #expect(!"\(failure) \(String(reflecting: failure))".contains(form))
        }
    }
}
