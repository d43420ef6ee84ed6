public import Base
public import HTTP

/// GIPHY's search, for GIFs and stickers (developers.giphy.com/docs/api/endpoint).
public struct GiphyAPI: GifAPI {
    public static let defaultBase = "https://api.giphy.com"

    public let name = "giphy"
    public let policy: ProviderPolicy
    private let key: Secret
    private let base: String
    private let decoder: GiphyDecoder
    private let translates: Bool
    public let suggests: Bool

    /// `base` is `https:`, or `http:` on loopback for a stand-in. `translates`, `suggests`: where a search finds nothing it may be
    /// asked once more, for one GIF or for other words.
    public init(
        key: Secret, base: String = GiphyAPI.defaultBase, policy: ProviderPolicy = .giphy, translates: Bool = false,
        suggests: Bool = false
    ) {
        self.translates = translates
        self.suggests = suggests
        self.key = key
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.policy = policy
        decoder = GiphyDecoder(
            source: name, credit: policy.credit, media: MediaRule(hosts: policy.mediaHosts, base: self.base))
    }

    public func offers(_ query: SearchQuery) -> Bool { query.mode != .translate || translates }

    /// The rating is sent always: without one GIPHY gives everything, `r` included.
    public func request(for request: PageRequest) -> HTTPRequest? {
        let query = request.query
        guard let offset = request.offset(upTo: Self.lastOffset(query.mode)) else { return nil }
        var items = [(name: "api_key", value: key.value)]
        let words = query.words(upTo: policy.maximumQueryLength)
        switch query.mode {
        case .search: items += [("q", words), ("lang", query.language)]
        case .random: if !words.isEmpty { items.append(("tag", words)) }
        case .trending: break
        case .translate:
            guard !words.isEmpty else { return nil }
            items.append(("s", words))
        case .id: items.append(("ids", query.words))
        }
        switch query.mode {
        case .search, .trending:
            items.append(("limit", String(policy.pageSize(at: request.position))))
            if offset > 0 { items.append(("offset", String(offset))) }
        case .random, .translate, .id: break
        }
        items += [("rating", query.rating.rawValue), ("fields", GiphyDecoder.fields)]
        return HTTPRequest(
            .get, base + Self.path(query) + "?" + queryString(items),
            headers: [HTTPHeader("Accept", "application/json")], timeout: .seconds(6), maximumBody: 2 << 20)
    }

    /// By id there is one list for GIFs and stickers, of which the plural end point leaves out what isn't there any more.
    private static func path(_ query: SearchQuery) -> String {
        let kind = query.kind == .sticker ? "/v1/stickers/" : "/v1/gifs/"
        return switch query.mode {
        case .search: kind + "search"
        case .random: kind + "random"
        case .trending: kind + "trending"
        case .translate: kind + "translate"
        case .id: "/v1/gifs"
        }
    }

    /// Where GIPHY stops, whatever it has (docs/api/endpoint/search, docs/api/endpoint).
    static func lastOffset(_ mode: SearchQuery.Mode) -> Int {
        switch mode {
        case .search: 4999
        case .trending: 499
        case .random, .translate, .id: 0
        }
    }

    public func page(from response: HTTPResponse, for request: PageRequest) throws(SourceFailure) -> SearchPage {
        // No such GIF, or none at this rating.
        if response.status == 404, request.query.mode == .id { return SearchPage(gifs: []) }
        try GiphyEnvelope.check(Int64(response.status), "HTTP status", of: response)
        return page(try decoder.answer(in: response, atMost: Self.mostKept), for: request)
    }

    /// The words are a step of the path, which no dots alone may be.
    public func termsRequest(for request: PageRequest) -> HTTPRequest? {
        let words = request.query.words(upTo: policy.maximumQueryLength)
        guard suggests, !words.allSatisfy({ $0 == "." }) else { return nil }
        return HTTPRequest(
            .get, base + "/v1/tags/related/" + percentEncoded(words) + "?" + queryString([("api_key", key.value)]),
            headers: [HTTPHeader("Accept", "application/json")], timeout: .seconds(4), maximumBody: 256 << 10)
    }

    public func terms(from response: HTTPResponse) throws(SourceFailure) -> [String] {
        try GiphyEnvelope.check(Int64(response.status), "HTTP status", of: response)
        return try GiphyTerms.terms(in: response)
    }

    /// More than was asked for has been seen; the rest is dropped.
    private static let mostKept = 100

    /// The end is where the total says it is, or a page shorter than asked for where no total is told.
    private func page(_ answer: GiphyDecoder.Answer, for request: PageRequest) -> SearchPage {
        let last = Self.lastOffset(request.query.mode)
        let asked = policy.pageSize(at: request.position)
        let next = (request.offset(upTo: last) ?? 0) + asked
        let isMore = answer.total.map { next < $0 } ?? (answer.items >= asked)
        guard answer.items > 0, isMore, next <= last else { return SearchPage(gifs: answer.gifs) }
        return SearchPage(gifs: answer.gifs, continuation: PageContinuation(source: name, position: String(next)))
    }
}

extension ProviderPolicy {
    /// developers.giphy.com/docs/api/best-practices: no copies, no stored URLs. GIPHY's own client keeps answers for 60 s. A beta
    /// key has 100 calls an hour, and gets 50 results at most.
    public static let giphy = ProviderPolicy(
        keepsResultsFor: .seconds(60), mayStoreURLs: false, mayCopyFiles: false, credit: "GIPHY",
        maximumQueryLength: 50, pageSize: 25, laterPageSize: 50, mediaHosts: ["*.giphy.com", "giphy.com"],
        defaultBudget: BudgetRule(count: 100, period: .hours(1)))
}
