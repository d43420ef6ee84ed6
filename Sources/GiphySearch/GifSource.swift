public import Base
public import HTTP

/// Something that has GIFs.
@Loop public protocol GifSource: AnyObject {
    /// As the config names it.
    nonisolated var name: String { get }
    nonisolated var policy: ProviderPolicy { get }

    /// Goes up when what was answered before is out of date.
    var generation: Int { get }

    /// Whether it knows this kind and mode of search at all.
    func offers(_ query: SearchQuery) -> Bool

    /// Why it can't be asked now: key refused, resting, budget used up. Nil when it can.
    func refusal(for asker: Asker) -> SourceFailure?

    /// Asks it; in the source's own order, best first, empty when it holds nothing for these words.
    func page(for request: PageRequest, by deadline: Instant) async throws(SourceFailure) -> SearchPage

    /// Whether it may be asked for words that it knows, where it has nothing for others.
    nonisolated var suggests: Bool { get }

    /// Those words, the nearest first. Costs a call as a page does.
    func terms(for request: PageRequest, by deadline: Instant) async throws(SourceFailure) -> [String]

    /// A page of its was served from the cache.
    func pageServed()

    /// Nil where calls aren't counted.
    func budget(for asker: Asker) -> BudgetStatus?
}

extension GifSource {
    public var generation: Int { 0 }
    public nonisolated var suggests: Bool { false }
    public func terms(for request: PageRequest, by deadline: Instant) async throws(SourceFailure) -> [String] { [] }
    public func pageServed() {}
    public func budget(for asker: Asker) -> BudgetStatus? { nil }
}

/// A source behind HTTP, as two pure functions.
public protocol GifAPI: Sendable {
    var name: String { get }
    var policy: ProviderPolicy { get }

    /// Whether it knows this kind and mode of search at all.
    func offers(_ query: SearchQuery) -> Bool

    /// The key is in it: it must not reach a log. Nil when nothing can be asked for, which is an empty page: no word is left
    /// that the source could look for, or the position is beyond what it gives out.
    func request(for request: PageRequest) -> HTTPRequest?

    /// The answer to that request. Judges by the HTTP status first, then by what the body says of itself. One bad item never
    /// spoils the rest.
    func page(from response: HTTPResponse, for request: PageRequest) throws(SourceFailure) -> SearchPage

    /// Whether it is to be asked for related words.
    var suggests: Bool { get }
    func termsRequest(for request: PageRequest) -> HTTPRequest?
    func terms(from response: HTTPResponse) throws(SourceFailure) -> [String]
}

extension GifAPI {
    public var suggests: Bool { false }
    public func termsRequest(for request: PageRequest) -> HTTPRequest? { nil }
    public func terms(from response: HTTPResponse) throws(SourceFailure) -> [String] { [] }
}
