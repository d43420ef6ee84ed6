import Base

extension SearchService {
    /// Asks one source after the other. What is left of the time is shared evenly by those still to be asked, so that one that
    /// hangs doesn't take it all.
    func search(_ query: SearchQuery, for asker: Asker, by deadline: Instant) async -> Answer {
        var failures: [SourceFailure] = []
        var second: SearchPage?
        let offering = sources(for: asker).filter { $0.offers(query) }
        let helping = offering.filter { $0.policy.mayPass(query.rating) }
        for (place, source) in helping.enumerated() {
            do throws(SourceFailure) {
                let left = clock.now.duration(to: deadline)
                let share = clock.now.advanced(by: left / (helping.count - place))
                let page = try await page(of: source, PageRequest(query, asker: asker, chance: random()), by: share)
                if page.isOfUse(at: query.rating) { return .success(page) }
                second = second ?? (page.gifs.isEmpty ? nil : page)
            } catch {
                failures.append(error)
                troubles.note(error, of: source.name)
            }
            if Task.isCancelled { break }
        }
        if let second { return .success(second) }
        if !failures.isEmpty { return .failure(SearchFailure(of: failures)) }
        if offering.isEmpty { return .failure(.notOffered) }
        return .failure(helping.count < offering.count ? .nothingSuitable : .nothingFound)
    }

    func turn(
        to next: PageContinuation, of query: SearchQuery, from source: any GifSource, after page: SearchPage,
        for asker: Asker, by deadline: Instant
    ) async -> Answer {
        do throws(SourceFailure) {
            let request = PageRequest(query, position: next.position, asker: asker, chance: random())
            let following = try await self.page(of: source, request, by: deadline).without(page)
            return following.gifs.isEmpty ? .failure(.nothingFound) : .success(following)
        } catch {
            troubles.note(error, of: source.name)
            return .failure(SearchFailure(of: [error]))
        }
    }

    private func page(of source: any GifSource, _ request: PageRequest, by deadline: Instant)
        async throws(SourceFailure) -> SearchPage
    {
        let query = request.query
        let isHeld = query.isHeld
        if isHeld, let page = cache.page(for: key(query, source, at: request.position), at: clock.now) { return page }
        var page = try await asked(source, request, by: deadline)
        troubles.noteAnswer(of: source.name)
        guard isHeld else { return page.shuffled(by: request.chance) }
        let lifetime = source.policy.keepsResultsFor
        if page.gifs.isEmpty, page.continuation != nil { page = SearchPage(gifs: []) }
        cache.keep(
            page, for: key(query, source, at: request.position),
            lasting: page.gifs.isEmpty ? min(lifetime, Self.emptyLifetime) : lifetime, at: clock.now)
        return page
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
