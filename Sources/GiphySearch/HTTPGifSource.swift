public import Base
public import HTTP

/// Asks a `GifAPI` over HTTP: charges the budget, tries once more where that may help, and knows when to leave the source
/// alone.
@Loop public final class HTTPGifSource: GifSource {
    public nonisolated let name: String
    public nonisolated let policy: ProviderPolicy

    private let api: any GifAPI
    private let http: any HTTPClient
    private let budget: Budget
    private let clock: any LoopClock
    private let random: @Loop () -> Double
    private var breaker = CircuitBreaker()
    private var coolDownEnd: Instant?
    /// Set once the key was refused; a new key comes with a new source.
    private var keyRefusal: SourceFailure?

    /// `random` gives numbers in 0..<1.
    public init(
        _ api: any GifAPI, http: any HTTPClient, budget: Budget, clock: any LoopClock,
        random: @escaping @Loop () -> Double = { .random(in: 0..<1) }
    ) {
        self.api = api
        self.http = http
        self.budget = budget
        self.clock = clock
        self.random = random
        name = api.name
        policy = api.policy
    }

    public func offers(_ query: SearchQuery) -> Bool { api.offers(query) }

    public func refusal(for asker: Asker) -> SourceFailure? {
        trouble() ?? budget.wait(for: asker.share).map { .budgetUsedUp(returnsIn: $0) }
    }

    public func budget(for asker: Asker) -> BudgetStatus? { budget.status(for: asker.share) }

    /// What is wrong for everybody.
    private func trouble() -> SourceFailure? {
        if let keyRefusal { return keyRefusal }
        let now = clock.now
        if let coolDownEnd, now < coolDownEnd { return .rateLimited(retryIn: now.duration(to: coolDownEnd)) }
        if let rest = breaker.rest(at: now) { return .resting(retryIn: rest) }
        return nil
    }

    public func page(for request: PageRequest, by deadline: Instant) async throws(SourceFailure) -> SearchPage {
        if let trouble = trouble() { throw trouble }
        guard let sent = api.request(for: request) else { return SearchPage(gifs: []) }
        let api = api
        let isExtra = request.query.mode == .translate
        return try await answer(to: sent, for: request.asker, isExtra: isExtra, by: deadline) {
            (response) throws(SourceFailure) in
            try api.page(from: response, for: request)
        }
    }

    public nonisolated var suggests: Bool { api.suggests }

    public func terms(for request: PageRequest, by deadline: Instant) async throws(SourceFailure) -> [String] {
        if let trouble = trouble() { throw trouble }
        guard let sent = api.termsRequest(for: request) else { return [] }
        let api = api
        return try await answer(to: sent, for: request.asker, isExtra: true, by: deadline) {
            (response) throws(SourceFailure) in
            try api.terms(from: response)
        }
    }

    /// An extra call comes after a search that was answered. Without it nothing is missing, so it isn't tried again, nobody
    /// waits for it, and its failures don't keep searches away.
    private func answer<Output: Sendable>(
        to sent: HTTPRequest, for asker: Asker, isExtra: Bool, by deadline: Instant,
        _ read: @escaping @Sendable (HTTPResponse) throws(SourceFailure) -> Output
    ) async throws(SourceFailure) -> Output {
        guard let call = budget.take(for: asker.share, isExtra: isExtra) else {
            throw .budgetUsedUp(returnsIn: budget.wait(for: asker.share) ?? .zero)
        }
        if !isExtra { breaker.began() }
        var answer = await attempt(sent, call, by: deadline, read)
        if !isExtra, case .failure(let failure) = answer, failure.isWorthARetry {
            await clock.sleep(for: .milliseconds(200) + .milliseconds(400) * random())
            let hasTime = clock.now.advanced(by: .seconds(1)) < deadline
            if hasTime, !Task.isCancelled, let call = budget.take(for: asker.share) {
                answer = await attempt(sent, call, by: deadline, read)
            }
        }
        settle(answer, isExtra: isExtra)
        return try answer.get()
    }

    private func attempt<Output: Sendable>(
        _ sent: HTTPRequest, _ call: Budget.Call, by deadline: Instant,
        _ read: @escaping @Sendable (HTTPResponse) throws(SourceFailure) -> Output
    ) async -> Result<Output, SourceFailure> {
        let left = clock.now.duration(to: deadline)
        guard left > .zero else {
            budget.giveBack(call)
            return .failure(.timedOut)
        }
        var sent = sent
        sent.timeout = min(sent.timeout, left)
        do throws(HTTPError) {
            return try await http.send(sent) { response in
                do throws(SourceFailure) {
                    return .success(try read(response))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            if error.meansNothingLeft { budget.giveBack(call) }
            return .failure(error.sourceFailure)
        }
    }

    private func settle<Output>(_ answer: Result<Output, SourceFailure>, isExtra: Bool) {
        let now = clock.now
        // What is so for the key is so for searches too.
        if case .failure(.badKey(let status)) = answer { keyRefusal = .badKey(status: status) }
        if case .failure(.rateLimited(let wait)) = answer { coolDownEnd = now.advanced(by: wait) }
        if isExtra { return }
        switch answer {
        case .success, .failure(.badKey), .failure(.rateLimited):
            breaker.succeeded()
        case .failure(.unavailable), .failure(.timedOut):
            breaker.failed(at: now, spread: random())
        case .failure(.badRequest), .failure(.cancelled), .failure(.budgetUsedUp), .failure(.resting):
            breaker.gaveUp(at: now)
        }
    }
}

extension HTTPError {
    /// The source can't have counted this call.
    fileprivate var meansNothingLeft: Bool {
        switch self {
        case .nameLookupFailed, .connectFailed, .tlsFailed, .addressRefused, .overloaded: true
        case .timedOut, .bodyTooLarge, .redirectRefused, .cancelled, .broken: false
        }
    }

    fileprivate var sourceFailure: SourceFailure {
        switch self {
        case .timedOut: .timedOut
        case .cancelled: .cancelled
        case .nameLookupFailed, .connectFailed, .tlsFailed, .bodyTooLarge, .redirectRefused, .addressRefused,
            .overloaded,
            .broken:
            .unavailable(description)
        }
    }
}
