public import Base

/// Answers searches from the cache or from the sources, in the configured order, the same search once at a time.
@Loop public final class SearchService {
    /// From the first call on, whatever the sources do.
    public static let timeLimit = Duration.seconds(10)
    /// An answer without results is kept this long at most: soon there may be some.
    static let emptyLifetime = Duration.seconds(30)

    /// What one piece of work under way is for. Nobody shares what is found by chance, so that it isn't the same for all.
    struct FlightKey: Hashable, Sendable {
        let query: SearchQuery
        let sources: [String]?
        let continuation: PageContinuation?
        let number: Int
    }

    typealias Answer = Result<SearchPage, SearchFailure>

    /// What a piece of work ends with.
    struct Landing: Sendable {
        let answer: Answer
        /// Sources that were passed over because the one who began it has no calls left. Others who wait may have some.
        let overBudget: [String]

        init(_ answer: Answer, overBudget: [String] = []) {
            self.answer = answer
            self.overBudget = overBudget
        }
    }

    var sources: [any GifSource]
    let cache: MemorySearchCache
    let pages: (any PageStore)?
    let clock: any LoopClock
    let random: @Loop () -> UInt64
    var troubles: SourceTroubles
    /// One source asked by one piece of work, which ends at its share of the time.
    let attempts: SingleFlight<Int, Result<SearchPage, SourceFailure>>
    private let maximumUnderWay: Int
    private let flights: SingleFlight<FlightKey, Landing>
    var numbers = 0
    /// Words that sources know instead of others.
    var terms: [SearchCacheKey: (terms: [String], end: Instant)] = [:]

    /// `pages` keeps pages over a restart, where a source's rules allow it. `random` chooses what `SearchQuery.Mode.random` shows.
    public init(
        sources: [any GifSource], cacheEntries: Int, pages: (any PageStore)? = nil, clock: any LoopClock, log: Log,
        maximumUnderWay: Int = 256,
        random: @escaping @Loop () -> UInt64 = { .random(in: .min ... .max) }
    ) {
        self.sources = sources
        cache = MemorySearchCache(maximumEntries: cacheEntries)
        self.pages = pages
        pages?.limit(entries: cacheEntries)
        self.clock = clock
        self.random = random
        self.maximumUnderWay = maximumUnderWay
        troubles = SourceTroubles(log: log)
        attempts = SingleFlight(clock: clock)
        flights = SingleFlight(clock: clock)
    }

    /// Other sources from now on. What is cached stays, as far as a source of that name is still there to serve it; a search under
    /// way ends with the sources it began with.
    public func update(sources: [any GifSource], cacheEntries: Int) {
        self.sources = sources
        cache.limit(entries: cacheEntries)
        pages?.limit(entries: cacheEntries)
        troubles.forget(allBut: sources.map(\.name))
    }

    /// The rules of a source by its name in `Gif.source`; nil when it isn't configured (any more).
    public func policy(of source: String) -> ProviderPolicy? {
        sources.first { $0.name == source }?.policy
    }

    /// How each source stands, in the order in which this asker's searches go to them.
    public func statuses(for asker: Asker) -> [SourceStatus] {
        sources(for: asker).map { source in
            var trouble = source.refusal(for: asker)
            if case .budgetUsedUp = trouble { trouble = nil }
            return SourceStatus(name: source.name, trouble: trouble, budget: source.budget(for: asker))
        }
    }

    /// The answer, if it is at hand. Without waiting: for the common case that people ask the same again. An empty page means that
    /// the sources have nothing, as they said a moment ago.
    public func held(_ query: SearchQuery, for asker: Asker) -> SearchPage? {
        guard query.isHeld else { return nil }
        let now = clock.now
        var second: SearchPage?
        var allAnswered = true
        var isAnybodyAsked = false
        for source in sources(for: asker) where source.canHelp(with: query) {
            isAnybodyAsked = true
            guard let page = cache.page(for: key(query, source), at: now) else {
                guard source.refusal(for: asker) != nil else { return nil }
                allAnswered = false
                continue
            }
            source.pageServed()
            if page.isOfUse(at: query.rating) { return page }
            second = second ?? (page.gifs.isEmpty ? nil : page)
        }
        if let second { return second }
        guard allAnswered, isAnybodyAsked, !looksFurther(query, in: sources(for: asker)) else { return nil }
        return SearchPage(gifs: [])
    }

    /// The answer of the first source that has one. A page whose GIFs are all above the rating is given only when no other source
    /// has a better one, so that "nothing suitable" and "nothing found" stay two things.
    ///
    /// Fails with any `SearchFailure`, in ten seconds at most. Cancelling the task gives up waiting, and is answered with
    /// `sourcesDown`.
    public func page(for query: SearchQuery, for asker: Asker) async -> Result<SearchPage, SearchFailure> {
        if let page = held(query, for: asker) { return page.gifs.isEmpty ? .failure(.nothingFound) : .success(page) }
        let deadline = clock.now.advanced(by: Self.timeLimit)
        return await share(query, asker.sources, nil, for: asker, by: deadline) { [weak self] in
            await self?.search(query, for: asker, by: deadline)
        }
    }

    /// The page that follows one, from the same source, without what stood on the one before. Fails as `page(for:for:)` does, with
    /// `nothingFound` at the end.
    public func page(
        after page: SearchPage, of query: SearchQuery, for asker: Asker
    ) async -> Result<SearchPage, SearchFailure> {
        guard query.isHeld, let next = page.continuation, let source = sources.first(where: { $0.name == next.source })
        else { return .failure(.nothingFound) }
        let deadline = clock.now.advanced(by: Self.timeLimit)
        return await share(query, nil, next, for: asker, by: deadline) { [weak self] in
            await self?.turn(to: next, of: query, from: source, after: page, for: asker, by: deadline)
        }
    }

    /// One GIF by the id that its source gave it, for what was saved without its address. Fails as `page(for:for:)` does.
    public func gif(
        id: String, of source: String, rating: Rating, for asker: Asker
    ) async -> Result<Gif, SearchFailure> {
        let query = SearchQuery(words: id, rating: rating, language: "en", kind: .gif, mode: .id)
        let page = await page(for: query, for: Asker(share: asker.share, sources: [source]))
        return page.flatMap { page in
            page.gifs.first { $0.id == id }.map { .success($0) } ?? .failure(.nothingFound)
        }
    }

    /// Whether a source can be asked for a GIF by its own id.
    public func findsByID(in source: String) -> Bool {
        let query = SearchQuery(words: "id", rating: .r, language: "en", kind: .gif, mode: .id)
        return sources.first { $0.name == source }?.offers(query) ?? false
    }

    private func share(
        _ query: SearchQuery, _ sources: [String]?, _ continuation: PageContinuation?, for asker: Asker,
        by deadline: Instant, _ work: @escaping @Loop @Sendable () async -> Landing?
    ) async -> Answer {
        guard flights.waiting < maximumUnderWay else { return .failure(.busy) }
        let down = Landing(.failure(.sourcesDown(retryIn: nil)))
        let key = FlightKey(
            query: query, sources: sources, continuation: continuation, number: query.isHeld ? 0 : nextNumber())
        let isJoining = flights.isUnderWay(key)
        let landing = await flights.value(for: key, by: deadline, late: down) { await work() ?? down } ?? down
        guard isJoining, !Task.isCancelled, failedForAnother(landing, asker) else { return landing.answer }
        // Once more, together with others in the same place, but each within its own time.
        let own = FlightKey(query: query, sources: sources, continuation: continuation, number: nextNumber())
        let again = await flights.value(for: own, by: deadline, late: down) { [flights] in
            await flights.value(for: key, by: deadline, late: down) { await work() ?? down } ?? down
        }
        return (again ?? down).answer
    }

    /// A source passed over for the budget of the one who began would be asked for this one.
    private func failedForAnother(_ landing: Landing, _ asker: Asker) -> Bool {
        guard case .failure = landing.answer else { return false }
        return landing.overBudget.contains { name in
            sources.contains { $0.name == name && $0.refusal(for: asker) == nil }
        }
    }

    func nextNumber() -> Int {
        numbers += 1
        return numbers
    }

    func key(_ query: SearchQuery, _ source: any GifSource, at position: String? = nil) -> SearchCacheKey {
        SearchCacheKey(
            query: query, source: source.name, generation: source.generation, fixedRating: source.policy.fixedRating,
            position: position)
    }

    /// Those that the asker wants, in his order.
    func sources(for asker: Asker) -> [any GifSource] {
        guard let names = asker.sources else { return sources }
        return names.compactMap { name in sources.first { $0.name == name } }
    }
}

extension SearchQuery {
    /// Whether an answer may be kept, and shared with others who ask.
    var isHeld: Bool { mode != .random }
}

extension GifSource {
    func canHelp(with query: SearchQuery) -> Bool { offers(query) && policy.mayPass(query.rating) }
}

extension ProviderPolicy {
    /// False where the source has one rating for all, and it is above the one asked for: then there is no need to ask it.
    func mayPass(_ rating: Rating) -> Bool { fixedRating.map { $0 <= rating } ?? true }
}

extension SearchPage {
    /// Something in it is not above the rating. (Whether unrated ones pass is the channel's business.)
    func isOfUse(at rating: Rating) -> Bool {
        gifs.contains { $0.rating.map { $0 <= rating } ?? true }
    }
}
