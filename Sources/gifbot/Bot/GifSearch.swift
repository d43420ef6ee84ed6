public import Base
public import GiphySearch

/// What the bot needs of search.
@Loop public protocol GifSearch: AnyObject {
    /// The page held for a query, if there is one: no waiting, no call.
    func held(_ query: SearchQuery) -> SearchPage?

    /// The page held, or asked of the sources.
    func page(for query: SearchQuery) async -> Result<SearchPage, SearchFailure>

    /// The page that follows one, from the same source; `nothingFound` at the end.
    func page(after page: SearchPage, of query: SearchQuery) async -> Result<SearchPage, SearchFailure>

    /// The rules of a source by its name in `Gif.source`; nil when it isn't configured (any more).
    func policy(of source: String) -> ProviderPolicy?
}

extension SearchService: GifSearch {}
