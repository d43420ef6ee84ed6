import Base
public import HTTP

/// Openverse: a catalogue of freely licensed pictures elsewhere, asked without an account (api.openverse.org).
public struct OpenverseAPI: GifAPI {
    public static let defaultBase = "https://api.openverse.org"

    public let name = "openverse"
    public let policy: ProviderPolicy
    private let base: String
    private let decoder: OpenverseDecoder

    /// `base` is `https:`, or `http:` on loopback for a stand-in.
    public init(base: String = OpenverseAPI.defaultBase, policy: ProviderPolicy = .openverse(rating: .pg13)) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.policy = policy
        decoder = OpenverseDecoder(
            source: name, rating: policy.fixedRating ?? .pg13,
            media: MediaRule(hosts: policy.mediaHosts, base: self.base))
    }

    public func offers(_ query: SearchQuery) -> Bool {
        query.kind == .gif && query.mode != .trending && query.mode != .translate
    }

    /// 240 results of twenty each are the most that it gives without an account.
    static let lastPage = 12

    public func request(for request: PageRequest) -> HTTPRequest? {
        let query = request.query
        var url = base + "/v1/images/"
        switch query.mode {
        case .id: url += percentEncoded(query.words) + "/"
        case .search, .random, .trending, .translate:
            let words = query.plainWords(upTo: policy.maximumQueryLength)
            guard !words.isEmpty, let page = Self.page(at: request.position) else { return nil }
            url +=
                "?"
                + queryString([
                    ("q", words), ("extension", "gif"), ("mature", "false"), ("page", String(page)),
                    ("page_size", String(policy.pageSize)),
                ])
        }
        return HTTPRequest(
            .get, url, headers: [HTTPHeader("Accept", "application/json")], timeout: .seconds(8), maximumBody: 1 << 20)
    }

    /// Counted from 1.
    static func page(at position: String?) -> Int? {
        guard let position else { return 1 }
        return Int(position).flatMap { (1...lastPage).contains($0) ? $0 : nil }
    }

    public func page(from response: HTTPResponse, for request: PageRequest) throws(SourceFailure) -> SearchPage {
        switch response.status {
        case 200: return try decoder.page(in: response, for: request)
        case 404 where request.query.mode == .id: return SearchPage(gifs: [])
        case 429: throw .rateLimited(retryIn: ProviderBody.rest(after: response, atLeast: 60))
        // 401 is what a page size over twenty gets: there is no key that could be refused.
        case 400...499: throw .badRequest(status: response.status)
        default: throw .unavailable("HTTP status \(response.status)")
        }
    }
}

extension ProviderPolicy {
    /// Licensed for copying with author and licence named. Where the files lie is the sources' choice, so only the hosts known for
    /// GIFs are posted from. Its own filter takes out what is marked as mature, no more: the operator gives the rest one rating.
    public static func openverse(rating: Rating) -> ProviderPolicy {
        var policy = ProviderPolicy(
            keepsResultsFor: .days(1), mayStoreURLs: true, mayCopyFiles: true, credit: "Openverse",
            maximumQueryLength: 100, pageSize: 20,
            mediaHosts: [
                "upload.wikimedia.org", "commons.wikimedia.org", "*.staticflickr.com", "www.flickr.com",
                "images.rawpixel.com", "www.rawpixel.com", "cdn.thingiverse.com", "www.thingiverse.com", "ids.si.edu",
            ],
            defaultBudget: BudgetRule(count: 200, period: .days(1)))
        policy.fixedRating = rating
        policy.servesStaleFor = .days(6)
        return policy
    }
}
