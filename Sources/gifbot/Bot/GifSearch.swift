public import Base
public import GiphySearch

/// What the bot needs of search.
@Loop public protocol GifSearch: AnyObject {
    /// The page held for a query, if there is one: no waiting, no call.
    func held(_ query: SearchQuery) -> SearchPage?

    /// The page held, or asked of the sources.
    func page(for query: SearchQuery) async -> Result<SearchPage, SearchFailure>
}

extension SearchService: GifSearch {}
