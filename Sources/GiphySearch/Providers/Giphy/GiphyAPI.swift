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

    /// `base` is `https:`, or `http:` on loopback for a stand-in.
    public init(key: Secret, base: String = GiphyAPI.defaultBase, policy: ProviderPolicy = .giphy) {
        self.key = key
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.policy = policy
        decoder = GiphyDecoder(
            source: name, credit: policy.credit, media: MediaRule(hosts: policy.mediaHosts, base: self.base))
    }

    /// The rating is sent always: without one GIPHY gives everything, `r` included.
    public func request(for query: SearchQuery) -> HTTPRequest {
        let path =
            switch query.kind {
            case .gif: "/v1/gifs/search"
            case .sticker: "/v1/stickers/search"
            }
        let items = [
            (name: "api_key", value: key.value), (name: "q", value: query.words(upTo: policy.maximumQueryLength)),
            (name: "limit", value: String(policy.pageSize)), (name: "rating", value: query.rating.rawValue),
            (name: "lang", value: query.language), (name: "fields", value: GiphyDecoder.fields),
        ]
        return HTTPRequest(
            .get, base + path + "?" + queryString(items), headers: [HTTPHeader("Accept", "application/json")],
            timeout: .seconds(6), maximumBody: 2 << 20)
    }

    public func gifs(from response: HTTPResponse) throws(SourceFailure) -> [Gif] {
        switch response.status {
        case 200: try decoder.gifs(in: response)
        case 401, 403: throw .badKey(status: response.status)
        case 429: throw .rateLimited(retryIn: GiphyDecoder.coolDown(after: response))
        case 400...499: throw .badRequest(status: response.status)
        default: throw .unavailable("HTTP status \(response.status)")
        }
    }
}

extension ProviderPolicy {
    /// developers.giphy.com/docs/api/best-practices: no copies, no stored URLs. GIPHY's own client keeps answers for 60 s. A beta
    /// key has 100 calls an hour.
    public static let giphy = ProviderPolicy(
        keepsResultsFor: .seconds(60), mayStoreURLs: false, mayCopyFiles: false, credit: "GIPHY",
        maximumQueryLength: 50,
        pageSize: 25, mediaHosts: ["*.giphy.com", "giphy.com"],
        defaultBudget: BudgetRule(count: 100, period: .hours(1)))
}
