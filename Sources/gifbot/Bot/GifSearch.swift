public import Base
public import GiphySearch

/// What the bot needs of search.
@Loop public protocol GifSearch: AnyObject {
    /// The page held for a query, if there is one: no waiting, no call.
    func held(_ query: SearchQuery, for asker: Asker) -> SearchPage?

    /// The page held, or asked of the sources.
    func page(for query: SearchQuery, for asker: Asker) async -> Result<SearchPage, SearchFailure>

    /// The page that follows one, from the same source; `nothingFound` at the end.
    func page(
        after page: SearchPage, of query: SearchQuery, for asker: Asker
    ) async -> Result<SearchPage, SearchFailure>

    /// One GIF by the id that its source gave it, for what was saved without its address.
    func gif(id: String, of source: String, rating: Rating, for asker: Asker) async -> Result<Gif, SearchFailure>

    /// How each source stands, with what its budget has left for this asker.
    func statuses(for asker: Asker) -> [SourceStatus]

    /// Whether a source can be asked for a GIF by its own id.
    func findsByID(in source: String) -> Bool

    /// The rules of a source by its name in `Gif.source`; nil when it isn't configured (any more).
    func policy(of source: String) -> ProviderPolicy?
}

extension SearchService: GifSearch {}
