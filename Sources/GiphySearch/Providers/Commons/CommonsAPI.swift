import Base
public import HTTP

/// Wikimedia Commons: free files, with author and licence (mediawiki.org, API:Search and API:Imageinfo).
public struct CommonsAPI: GifAPI {
    public static let defaultBase = "https://commons.wikimedia.org"

    public let name = "commons"
    public let policy: ProviderPolicy
    private let base: String
    private let userAgent: String
    private let decoder: CommonsDecoder

    /// `contact` must reach the operator: a client without is held to ten requests a minute (mediawiki.org, Wikimedia APIs/Rate
    /// limits). `program` is a name and version. `base` is `https:`, or `http:` on loopback for a stand-in.
    public init(
        contact: String, program: String, base: String = CommonsAPI.defaultBase,
        policy: ProviderPolicy = .commons(rating: .pg13)
    ) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.policy = policy
        userAgent = "\(program) (\(contact)) libcurl"
        decoder = CommonsDecoder(
            source: name, rating: policy.fixedRating ?? .pg13,
            media: MediaRule(hosts: policy.mediaHosts, base: self.base))
    }

    /// It has no list of what is popular, and nobody files stickers there.
    public func offers(_ query: SearchQuery) -> Bool {
        query.kind == .gif && query.mode != .trending && query.mode != .translate
    }

    /// The furthest that its search goes.
    private static let lastOffset = 9_950

    public func request(for request: PageRequest) -> HTTPRequest? {
        let query = request.query
        guard let offset = request.offset(upTo: Self.lastOffset) else { return nil }
        var items = [(name: "action", value: "query"), ("format", "json"), ("formatversion", "2")]
        switch query.mode {
        case .id:
            guard query.words.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            items.append(("pageids", query.words))
        case .search, .random, .trending, .translate:
            // What follows the words is ours, and theirs can be nothing like it.
            let words = query.plainWords(upTo: policy.maximumQueryLength)
            guard !words.isEmpty || query.mode == .random else { return nil }
            items += [
                ("generator", "search"), ("gsrnamespace", "6"),
                ("gsrsearch", words.isEmpty ? "filemime:image/gif" : words + " filemime:image/gif"),
                ("gsrlimit", String(policy.pageSize(at: request.position))),
            ]
            if query.mode == .random { items.append(("gsrsort", "random")) }
            if offset > 0 { items.append(("gsroffset", String(offset))) }
        }
        items += [
            ("prop", "imageinfo"), ("iiprop", "url|size|mime|metadata|extmetadata"),
            ("iiextmetadatafilter", "LicenseShortName|Artist"),
        ]
        return HTTPRequest(
            .get, base + "/w/api.php?" + queryString(items),
            headers: [HTTPHeader("Accept", "application/json"), HTTPHeader("User-Agent", userAgent)],
            timeout: .seconds(8), maximumBody: 2 << 20)
    }

    /// 503 with a time is how it says that it lags behind.
    public func page(from response: HTTPResponse, for request: PageRequest) throws(SourceFailure) -> SearchPage {
        switch response.status {
        case 200: return try decoder.page(in: response, for: request)
        case 429: throw .rateLimited(retryIn: ProviderBody.rest(after: response, atLeast: 60))
        case 503 where response.header("retry-after") != nil:
            throw .rateLimited(retryIn: ProviderBody.rest(after: response, atLeast: 5))
        // There is no key to refuse: the client is, which passes.
        case 401, 403: throw .unavailable("refused (HTTP \(response.status)); is the contact in the config a real one?")
        case 400...499: throw .badRequest(status: response.status)
        default: throw .unavailable("HTTP status \(response.status)")
        }
    }
}

extension ProviderPolicy {
    /// Files are free to keep and copy with author and licence named. It can't be filtered for what is fit for whom, so the
    /// operator gives all of it one rating. 200 requests a minute are allowed to a client that gives its contact; a quarter is left
    /// for others at the same address.
    public static func commons(rating: Rating) -> ProviderPolicy {
        var policy = ProviderPolicy(
            keepsResultsFor: .days(1), mayStoreURLs: true, mayCopyFiles: true, credit: "Wikimedia Commons",
            maximumQueryLength: 100, pageSize: 25, laterPageSize: 50,
            mediaHosts: ["upload.wikimedia.org", "commons.wikimedia.org"],
            defaultBudget: BudgetRule(count: 150, period: .minutes(1)))
        policy.fixedRating = rating
        policy.servesStaleFor = .days(6)
        return policy
    }
}
