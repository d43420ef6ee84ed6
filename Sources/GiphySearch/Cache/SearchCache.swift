public import Base

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

/// Holds answers of sources; failures are never handed to it. Time comes with each call, and is monotonic.
@Loop public protocol SearchCache: AnyObject {
    /// The page held, unless its time is over.
    func page(for key: SearchCacheKey, at now: Instant) -> SearchPage?

    /// A page whose time is over, but not yet the time after it in which it may serve for want of a better one.
    func stalePage(for key: SearchCacheKey, at now: Instant) -> SearchPage?

    /// Holds a page for `lifetime`, and `stale` longer for `stalePage`; without either it holds nothing, and forgets what was held
    /// before.
    func keep(
        _ page: SearchPage, for key: SearchCacheKey, lasting lifetime: Duration, stale: Duration, at now: Instant)

    /// At most that many from now on; the ones used longest ago go.
    func limit(entries: Int)

    var count: Int { get }
}

extension SearchCache {
    public func keep(_ page: SearchPage, for key: SearchCacheKey, lasting lifetime: Duration, at now: Instant) {
        keep(page, for: key, lasting: lifetime, stale: .zero, at: now)
    }
}
