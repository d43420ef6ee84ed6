public import Base

/// Answers searches from the cache or from the sources, in the configured order, the same search once at a time.
@Loop public final class SearchService {
    /// From the first call on, whatever the sources do.
    public static let timeLimit = Duration.seconds(10)
    /// An answer without results is kept this long at most: soon there may be some.
    static let emptyLifetime = Duration.seconds(30)

    private var sources: [any GifSource]
    private let cache: any SearchCache
    private let clock: any LoopClock
    private let log: Log
    private let maximumUnderWay: Int
    private let flights: SingleFlight<SearchQuery, Result<SearchPage, SearchFailure>>
    /// The kind of trouble each source had last, so that the log tells changes alone.
    private var troubles: [String: String] = [:]

    public init(
        sources: [any GifSource], cacheEntries: Int, clock: any LoopClock, log: Log, maximumUnderWay: Int = 256
    ) {
        self.sources = sources
        cache = MemorySearchCache(maximumEntries: cacheEntries)
        self.clock = clock
        self.log = log
        self.maximumUnderWay = maximumUnderWay
        flights = SingleFlight(clock: clock)
    }

    /// Other sources from now on. What is cached stays, as far as a source of that name is still there to serve it; a search under
    /// way ends with the sources it began with.
    public func update(sources: [any GifSource], cacheEntries: Int) {
        self.sources = sources
        cache.limit(entries: cacheEntries)
        let names = Set(sources.map(\.name))
        troubles = troubles.filter { names.contains($0.key) }
    }

    /// The rules of a source by its name in `Gif.source`; nil when it isn't configured (any more).
    public func policy(of source: String) -> ProviderPolicy? {
        sources.first { $0.name == source }?.policy
    }

    /// The answer, if it is at hand. Without waiting: for the common case that people ask the same again. An empty page means that
    /// the sources have nothing, as they said a moment ago.
    public func held(_ query: SearchQuery) -> SearchPage? {
        let now = clock.now
        var second: SearchPage?
        var allAnswered = !sources.isEmpty
        for source in sources {
            guard let page = cache.page(for: key(query, source), at: now) else {
                guard source.refusal() != nil else { return nil }
                allAnswered = false
                continue
            }
            source.pageServed()
            if page.isOfUse(at: query.rating) { return page }
            second = second ?? (page.gifs.isEmpty ? nil : page)
        }
        return second ?? (allAnswered ? SearchPage(gifs: []) : nil)
    }

    /// The answer of the first source that has one. A page whose GIFs are all above the rating is given only when no other source
    /// has a better one, so that "nothing suitable" and "nothing found" stay two things.
    ///
    /// Fails with `nothingFound`, `budgetUsedUp`, `sourcesDown`, `badKey` or `busy`, in ten seconds at most. Cancelling the task
    /// gives up waiting, and is answered with `sourcesDown`.
    public func page(for query: SearchQuery) async -> Result<SearchPage, SearchFailure> {
        if let page = held(query) { return page.gifs.isEmpty ? .failure(.nothingFound) : .success(page) }
        guard flights.waiting < maximumUnderWay else { return .failure(.busy) }
        let deadline = clock.now.advanced(by: Self.timeLimit)
        let down = Result<SearchPage, SearchFailure>.failure(.sourcesDown(retryIn: nil))
        let answer = await flights.value(for: query, by: deadline, late: down) { [weak self] in
            await self?.search(query, by: deadline) ?? down
        }
        return answer ?? down
    }

    /// The page that follows one, from the same source. Fails as `page(for:)` does, with `nothingFound` at the end.
    public func page(after page: SearchPage, of query: SearchQuery) async -> Result<SearchPage, SearchFailure> {
        .failure(.nothingFound)
    }

    private func search(_ query: SearchQuery, by deadline: Instant) async -> Result<SearchPage, SearchFailure> {
        var failures: [SourceFailure] = []
        var second: SearchPage?
        for source in sources {
            do throws(SourceFailure) {
                let page = try await page(of: source, for: query, by: deadline)
                if page.isOfUse(at: query.rating) { return .success(page) }
                second = second ?? (page.gifs.isEmpty ? nil : page)
            } catch {
                failures.append(error)
                note(error, of: source.name)
            }
            if Task.isCancelled { break }
        }
        if let second { return .success(second) }
        return .failure(SearchFailure(of: failures))
    }

    private func page(of source: any GifSource, for query: SearchQuery, by deadline: Instant)
        async throws(SourceFailure)
        -> SearchPage
    {
        if let page = cache.page(for: key(query, source), at: clock.now) { return page }
        if let refusal = source.refusal() { throw refusal }
        let gifs = try await source.gifs(for: query, by: deadline)
        noteSuccess(of: source.name)
        let page = SearchPage(gifs: gifs)
        let lifetime = source.policy.keepsResultsFor
        cache.keep(
            page, for: key(query, source), lasting: gifs.isEmpty ? min(lifetime, Self.emptyLifetime) : lifetime,
            at: clock.now)
        return page
    }

    private func key(_ query: SearchQuery, _ source: any GifSource) -> SearchCacheKey {
        SearchCacheKey(query: query, source: source.name, generation: source.generation)
    }

    private func note(_ failure: SourceFailure, of source: String) {
        guard failure != .cancelled, troubles[source] != failure.kind else { return }
        // It rests because of what was told already.
        if case .resting = failure, troubles[source] != nil { return }
        troubles[source] = failure.kind
        log.warning("source gives no answer", ["source": source, "reason": failure.description])
    }

    private func noteSuccess(of source: String) {
        guard troubles.removeValue(forKey: source) != nil else { return }
        log.info("source answers again", ["source": source])
    }
}

extension SearchPage {
    /// Something in it is not above the rating. (Whether unrated ones pass is the channel's business.)
    fileprivate func isOfUse(at rating: Rating) -> Bool {
        gifs.contains { $0.rating.map { $0 <= rating } ?? true }
    }
}

extension SearchFailure {
    /// One sentence for what went wrong with each source. None: they answered, and hold nothing.
    init(of failures: [SourceFailure]) {
        let hopeful = failures.filter { failure in
            if case .badKey = failure { false } else { true }
        }
        let waits = hopeful.compactMap(\.retryIn)
        let budgets = hopeful.filter { failure in
            if case .budgetUsedUp = failure { true } else { false }
        }
        if failures.isEmpty {
            self = .nothingFound
        } else if hopeful.isEmpty {
            self = .badKey
        } else if budgets.count == hopeful.count, let first = waits.min() {
            self = .budgetUsedUp(returnsIn: first)
        } else {
            self = .sourcesDown(retryIn: waits.count == hopeful.count ? waits.min() : nil)
        }
    }
}
