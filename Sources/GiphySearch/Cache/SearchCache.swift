public import Base

/// Under what an answer is held. `generation` is the source's: what an older one answered is never found again.
public struct SearchCacheKey: Hashable, Sendable {
    public let query: SearchQuery
    public let source: String
    public let generation: Int
    /// Nil for the first page.
    public let position: String?

    public init(query: SearchQuery, source: String, generation: Int, position: String? = nil) {
        self.query = query
        self.source = source
        self.generation = generation
        self.position = position
    }
}

/// Holds answers of sources; failures are never handed to it. Time comes with each call, and is monotonic.
@Loop public protocol SearchCache: AnyObject {
    /// The page held, unless its time is over.
    func page(for key: SearchCacheKey, at now: Instant) -> SearchPage?

    /// Holds a page for `lifetime`; a lifetime of zero or less holds nothing, and forgets what was held before.
    func keep(_ page: SearchPage, for key: SearchCacheKey, lasting lifetime: Duration, at now: Instant)

    /// At most that many from now on; the ones used longest ago go.
    func limit(entries: Int)

    var count: Int { get }
}
