public import Base
public import HTTP

/// Something that has GIFs.
@Loop public protocol GifSource: AnyObject {
    /// As the config names it.
    nonisolated var name: String { get }
    nonisolated var policy: ProviderPolicy { get }

    /// Goes up when what was answered before is out of date.
    var generation: Int { get }

    /// Why it can't be asked now: key refused, resting, budget used up. Nil when it can.
    func refusal() -> SourceFailure?

    /// Asks it; in the source's own order, best first, empty when it holds nothing for these words.
    func gifs(for query: SearchQuery, by deadline: Instant) async throws(SourceFailure) -> [Gif]

    /// A page of its was served from the cache.
    func pageServed()
}

extension GifSource {
    public var generation: Int { 0 }
    public func pageServed() {}
}

/// A source behind HTTP, as two pure functions.
public protocol GifAPI: Sendable {
    var name: String { get }
    var policy: ProviderPolicy { get }

    /// The key is in it: it must not reach a log.
    func request(for query: SearchQuery) -> HTTPRequest

    /// Judges by the HTTP status first, then by what the body says of itself. One bad item never spoils the rest.
    func gifs(from response: HTTPResponse) throws(SourceFailure) -> [Gif]
}
