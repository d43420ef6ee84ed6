import Base

extension SearchService {
    /// Asks one source after the other. What is left of the time is shared evenly by those still to be asked, so that one that
    /// hangs doesn't take it all.
    func search(_ query: SearchQuery, for asker: Asker, by deadline: Instant) async -> Landing {
        var failures: [SourceFailure] = []
        var overBudget: [String] = []
        var second: SearchPage?
        let offering = sources(for: asker).filter { $0.offers(query) }
        let helping = offering.filter { $0.policy.mayPass(query.rating) }
        for (place, source) in helping.enumerated() {
            do throws(SourceFailure) {
                let left = clock.now.duration(to: deadline)
                let share = clock.now.advanced(by: left / (helping.count - place))
                let page = try await page(of: source, PageRequest(query, asker: asker, chance: random()), by: share)
                if page.isOfUse(at: query.rating) { return Landing(.success(page)) }
                second = second ?? (page.gifs.isEmpty ? nil : page)
            } catch {
                failures.append(error)
                if case .budgetUsedUp = error { overBudget.append(source.name) }
                troubles.note(error, of: source.name)
            }
            if Task.isCancelled { break }
        }
        if let second { return Landing(.success(second)) }
        if let stale = stale(query, from: helping, failures) { return Landing(.success(stale)) }
        if !failures.isEmpty { return Landing(.failure(SearchFailure(of: failures)), overBudget: overBudget) }
        if offering.isEmpty { return Landing(.failure(.notOffered)) }
        if let instead = await instead(of: query, from: helping, for: asker, by: deadline) { return instead }
        return Landing(.failure(helping.count < offering.count ? .nothingSuitable : .nothingFound))
    }

    func turn(
        to next: PageContinuation, of query: SearchQuery, from source: any GifSource, after page: SearchPage,
        for asker: Asker, by deadline: Instant
    ) async -> Landing {
        do throws(SourceFailure) {
            let request = PageRequest(query, position: next.position, asker: asker, chance: random())
            let following = try await self.page(of: source, request, by: deadline).without(page)
            return Landing(following.gifs.isEmpty ? .failure(.nothingFound) : .success(following))
        } catch {
            troubles.note(error, of: source.name)
            var overBudget: [String] = []
            if case .budgetUsedUp = error { overBudget = [source.name] }
            return Landing(.failure(SearchFailure(of: [error])), overBudget: overBudget)
        }
    }

    /// For want of a better one, what a source said earlier that now says nothing.
    private func stale(_ query: SearchQuery, from sources: [any GifSource], _ failures: [SourceFailure]) -> SearchPage?
    {
        guard query.isHeld, !failures.isEmpty else { return nil }
        for source in sources {
            guard let page = cache.stalePage(for: key(query, source), at: clock.now), page.isOfUse(at: query.rating)
            else { continue }
            return page
        }
        return nil
    }

    func page(of source: any GifSource, _ request: PageRequest, by deadline: Instant)
        async throws(SourceFailure) -> SearchPage
    {
        let query = request.query
        let isHeld = query.isHeld
        let place = key(query, source, at: request.position)
        if isHeld, let page = cache.page(for: place, at: clock.now) { return page }
        if isHeld, let page = await storedPage(place, source.policy) { return page }
        var page = try await asked(source, request, by: deadline)
        troubles.noteAnswer(of: source.name)
        guard isHeld else { return page.shuffled(by: request.chance) }
        if page.gifs.isEmpty, page.continuation != nil { page = SearchPage(gifs: []) }
        // The source may have noticed meanwhile that something is new.
        keep(page, for: key(query, source, at: request.position), source.policy)
        return page
    }

    private func keep(_ page: SearchPage, for key: SearchCacheKey, _ policy: ProviderPolicy) {
        let lifetime = policy.keepsResultsFor
        guard !page.gifs.isEmpty else {
            return cache.keep(page, for: key, lasting: min(lifetime, Self.emptyLifetime), at: clock.now)
        }
        cache.keep(page, for: key, lasting: lifetime, stale: policy.servesStaleFor, at: clock.now)
        guard let pages, policy.storesPages else { return }
        let wall = clock.wall
        let end = wall.advanced(by: lifetime + policy.servesStaleFor)
        pages.keep(StoredPage(page: page, at: wall), for: key, until: end)
    }

    /// A page from before the last start, if it may still be served; an older one is held for the case that the source fails.
    private func storedPage(_ key: SearchCacheKey, _ policy: ProviderPolicy) async -> SearchPage? {
        guard let pages, policy.storesPages, cache.stalePage(for: key, at: clock.now) == nil,
            let stored = await pages.page(for: key)
        else { return nil }
        let age = Duration.milliseconds(max(0, clock.wall.milliseconds - stored.at.milliseconds))
        let left = policy.keepsResultsFor - age
        let stale = policy.servesStaleFor + min(.zero, left)
        guard left > .zero || stale > .zero else { return nil }
        cache.keep(stored.page, for: key, lasting: max(.zero, left), stale: max(.zero, stale), at: clock.now)
        return left > .zero ? stored.page : nil
    }

    private func asked(_ source: any GifSource, _ request: PageRequest, by deadline: Instant)
        async throws(SourceFailure) -> SearchPage
    {
        // The source should be the first to notice that its time is over, since it learns from that.
        let earlier = max(clock.now, deadline.advanced(by: .zero - .milliseconds(200)))
        let answer = await attempts.value(for: nextNumber(), by: deadline, late: .failure(.timedOut)) {
            do throws(SourceFailure) {
                return .success(try await source.page(for: request, by: earlier))
            } catch {
                return .failure(error)
            }
        }
        guard let answer else { throw .cancelled }
        return try answer.get()
    }
}

extension SearchPage {
    /// Pages of a source may overlap.
    fileprivate func without(_ earlier: SearchPage) -> SearchPage {
        let seen = Set(earlier.gifs.map(\.id))
        guard gifs.contains(where: { seen.contains($0.id) }) else { return self }
        return SearchPage(gifs: gifs.filter { !seen.contains($0.id) }, continuation: continuation)
    }

    fileprivate func shuffled(by chance: UInt64) -> SearchPage {
        var generator = SeededGenerator(seed: chance)
        return SearchPage(gifs: gifs.shuffled(using: &generator))
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
