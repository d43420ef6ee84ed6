public import Base
public import HTTP

/// The API that Tenor had, version 2, as KLIPY (`api.klipy.com/v2`) and GIPHY (`api.giphy.com/v2`) serve it. Tenor's own ended on
/// 2026-06-30.
public struct KlipyAPI: GifAPI {
    public static let defaultBase = "https://api.klipy.com/v2"

    public let name = "klipy"
    public let policy: ProviderPolicy
    private let key: Secret
    private let base: String
    private let decoder: KlipyDecoder
    /// GIPHY's version of this end point has none (developers.giphy.com/docs/api/tenor-migration).
    private let hasStickers: Bool

    /// `base` is `https:`, or `http:` on loopback for a stand-in.
    public init(key: Secret, base: String = KlipyAPI.defaultBase, policy: ProviderPolicy = .klipy) {
        self.key = key
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.policy = policy
        hasStickers = WebAddress(self.base).map { !$0.isOn(ProviderPolicy.giphy.mediaHosts) } ?? true
        decoder = KlipyDecoder(
            source: name, credit: policy.credit, media: MediaRule(hosts: policy.mediaHosts, base: self.base))
    }

    public func offers(_ query: SearchQuery) -> Bool {
        query.mode != .translate && (query.kind == .gif || hasStickers)
    }

    public func request(for request: PageRequest) -> HTTPRequest? {
        let query = request.query
        var items = [(name: "key", value: key.value), ("client_key", "gifbot")]
        let path: String
        let words = query.words(upTo: policy.maximumQueryLength)
        switch query.mode {
        case .search, .random:
            path = words.isEmpty ? "/featured" : "/search"
            if !words.isEmpty { items.append(("q", words)) }
        case .trending, .translate: path = "/featured"
        case .id:
            path = "/posts"
            items.append(("ids", query.words))
        }
        if query.mode != .id {
            items.append(("limit", String(policy.pageSize(at: request.position))))
            items.append(("locale", query.language.replacing("-", with: "_")))
        }
        // Moving ones alone.
        if query.kind == .sticker { items.append(("searchfilter", "sticker,-static")) }
        if let position = request.position { items.append(("pos", position)) }
        items += [("contentfilter", Self.filter(query.rating)), ("media_filter", KlipyDecoder.formats(for: query))]
        return HTTPRequest(
            .get, base + path + "?" + queryString(items), headers: [HTTPHeader("Accept", "application/json")],
            timeout: .seconds(6), maximumBody: 2 << 20)
    }

    /// The ratings that each lets through (developers.giphy.com/docs/api/tenor-migration).
    static func filter(_ rating: Rating) -> String {
        switch rating {
        case .g: "high"
        case .pg: "medium"
        case .pg13: "low"
        case .r: "off"
        }
    }

    /// A key that KLIPY doesn't know is a 404, whose body echoes it.
    public func page(from response: HTTPResponse, for request: PageRequest) throws(SourceFailure) -> SearchPage {
        switch response.status {
        case 200, 202: return try decoder.page(in: response, for: request)
        case 404 where request.query.mode == .id: return SearchPage(gifs: [])
        case 401, 403, 404: throw .badKey(status: response.status)
        case 429: throw .rateLimited(retryIn: ProviderBody.rest(after: response, atLeast: 600))
        case 400...499: throw .badRequest(status: response.status)
        default: throw .unavailable("HTTP status \(response.status)")
        }
    }
}

extension ProviderPolicy {
    /// docs.klipy.com/integration-requirements: as GIPHY's rules, with exceptions in writing only. A test key has 100 calls an
    /// hour.
    public static let klipy = ProviderPolicy(
        keepsResultsFor: .seconds(60), mayStoreURLs: false, mayCopyFiles: false, credit: "KLIPY",
        maximumQueryLength: 50, pageSize: 25, laterPageSize: 50, mediaHosts: ["*.klipy.com", "klipy.com"],
        defaultBudget: BudgetRule(count: 100, period: .hours(1)))

    /// The rules behind an address in Tenor's shape: GIPHY serves it too, and then its own rules hold.
    static func klipy(at base: String) -> ProviderPolicy {
        WebAddress(base).map { $0.isOn(ProviderPolicy.giphy.mediaHosts) } == true ? .giphy : .klipy
    }
}
