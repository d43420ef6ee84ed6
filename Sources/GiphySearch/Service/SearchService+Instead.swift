import Base

/// What there is instead, where the sources hold nothing for some words and the operator wants it looked for: it costs a call each.
extension SearchService {
    /// Of searches whose other words are held for a moment. At the bound all are forgotten: they are asked for again.
    static let mostTerms = 100
    /// Left for the answer itself.
    private static let rest = Duration.seconds(1)

    /// One of these sources would be asked once more.
    func looksFurther(_ query: SearchQuery, in sources: [any GifSource]) -> Bool {
        guard query.mode == .search else { return false }
        let translated = query.asTranslation
        return sources.contains { $0.canHelp(with: translated) || $0.suggests }
    }

    /// One GIF that a source makes of the words, else words that it knows; nil where there is neither, or no time.
    func instead(
        of query: SearchQuery, from sources: [any GifSource], for asker: Asker, by deadline: Instant
    ) async -> Landing? {
        guard looksFurther(query, in: sources) else { return nil }
        let end = deadline.advanced(by: .zero - Self.rest)
        let request = PageRequest(query.asTranslation, asker: asker)
        for source in sources where source.canHelp(with: request.query) {
            guard clock.now < end, !Task.isCancelled else { return nil }
            do throws(SourceFailure) {
                let page = try await page(of: source, request, by: end)
                if page.isOfUse(at: query.rating) { return Landing(.success(page)) }
            } catch {
                troubles.note(error, of: source.name)
            }
        }
        for source in sources where source.suggests {
            let known = await terms(of: source, PageRequest(query, asker: asker), by: end).filter { $0 != query.words }
            if !known.isEmpty { return Landing(.failure(.nothingFoundBut(known: known))) }
        }
        return nil
    }

    private func terms(of source: any GifSource, _ request: PageRequest, by end: Instant) async -> [String] {
        let place = key(request.query, source)
        if let held = terms[place], clock.now < held.end { return held.terms }
        guard clock.now < end, !Task.isCancelled else { return [] }
        do throws(SourceFailure) {
            let found = try await source.terms(for: request, by: end)
            troubles.noteAnswer(of: source.name)
            if terms.count >= Self.mostTerms { terms = [:] }
            terms[place] = (found, clock.now.advanced(by: min(Self.emptyLifetime, source.policy.keepsResultsFor)))
            return found
        } catch {
            troubles.note(error, of: source.name)
            return []
        }
    }
}

extension SearchQuery {
    fileprivate var asTranslation: SearchQuery {
        SearchQuery(words: words, rating: rating, language: language, kind: kind, mode: .translate)
    }
}
