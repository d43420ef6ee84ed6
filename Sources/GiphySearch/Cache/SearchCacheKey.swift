/// Under what an answer is held. `generation` is the source's: what an older one answered is never found again.
///
/// Words are compared as Swift compares them, so that two spellings of `é` are one search.
public struct SearchCacheKey: Hashable, Sendable {
    public let query: SearchQuery
    public let source: String
    public let generation: Int
    /// The one rating that the source's GIFs have by the config: what was held under another one is never served.
    public let fixedRating: Rating?
    /// Nil for the first page.
    public let position: String?

    public init(
        query: SearchQuery, source: String, generation: Int, fixedRating: Rating? = nil, position: String? = nil
    ) {
        self.query = query
        self.source = source
        self.generation = generation
        self.fixedRating = fixedRating
        self.position = position
    }
}
