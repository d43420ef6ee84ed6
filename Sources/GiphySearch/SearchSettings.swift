public import Base

/// The `search` section of the config.
public struct SearchSettings: Sendable, Equatable {
    /// A source with a key: `giphy` or `klipy`.
    public struct Keyed: Sendable, Equatable {
        public var key: Secret
        /// `https:`, or `http:` on loopback.
        public var baseURL: String
        /// Nil when switched off.
        public var budget: BudgetRule?
        /// How long an answer is kept: 60 s at most without permission.
        public var keepsResultsFor: Duration
        /// The operator has the source's permission for more than its published rules allow.
        public var hasPermission: Bool
        /// GIPHY's: where a search finds nothing, one more call for what it makes of the words.
        public var translates = false
        /// GIPHY's: where there is nothing still, one more call for words that it knows.
        public var suggests = false
    }

    /// A source of free files without a key: `commons` or `openverse`.
    public struct Free: Sendable, Equatable {
        /// Where the operator can be reached; required by `commons`, empty for `openverse`.
        public var contact: String
        public var baseURL: String
        public var budget: BudgetRule?
        public var keepsResultsFor: Duration
        /// Of all it holds, since it gives none.
        public var rating: Rating
    }

    public struct Folder: Sendable, Equatable {
        /// Nil for the samples.
        public var path: String?
        public var publicURL: String?
        public var rating: Rating

        public init(path: String? = nil, publicURL: String? = nil, rating: Rating = .g) {
            self.path = path
            self.publicURL = publicURL
            self.rating = rating
        }
    }

    public enum Source: Sendable, Equatable {
        case giphy(Keyed)
        case klipy(Keyed)
        case commons(Free)
        case openverse(Free)
        case folder(Folder)

        /// As `providers` lists it.
        public var name: String { provider.rawValue }

        private var provider: Provider {
            switch self {
            case .giphy: .giphy
            case .klipy: .klipy
            case .commons: .commons
            case .openverse: .openverse
            case .folder: .folder
            }
        }

        /// The one rating of all it holds; nil for sources that rate each GIF.
        public var fixedRating: Rating? {
            switch self {
            case .giphy, .klipy: nil
            case .commons(let free), .openverse(let free): free.rating
            case .folder(let folder): folder.rating
            }
        }

        /// The rules in force.
        public var policy: ProviderPolicy {
            switch self {
            case .giphy(let keyed): keyed.policy(.giphy)
            case .klipy(let keyed): keyed.policy(.klipy(at: keyed.baseURL))
            case .commons(let free): free.policy(.commons(rating: free.rating))
            case .openverse(let free): free.policy(.openverse(rating: free.rating))
            case .folder(let folder): folder.path == nil ? .samples : .folder
            }
        }
    }

    /// In the order in which they are asked; never empty.
    public var sources: [Source]
    public var cacheEntries: Int

    public init(sources: [Source] = [.folder(Folder())], cacheEntries: Int = 5000) {
        self.sources = sources
        self.cacheEntries = cacheEntries
    }

    /// Reads `search` out of the whole config; without such a section the samples are the source. Faults are in the context, and
    /// what is returned then is of no use.
    public init(decoding root: ConfigMap) {
        self.init()
        guard let map = root.map("search") else { return }
        if let cache = map.map("cache") {
            if let entries = cache.integer("entries", in: 1...1_000_000) { cacheEntries = entries }
            cache.finish()
        }
        let names = Provider.list(in: map)
        let sections = Sections(decoding: map)
        map.finish()
        sources = names.compactMap { sections.source($0, in: map) }
        if sources.isEmpty { sources = [.folder(Folder())] }
    }

    /// All names that `providers` may list, here and in a channel.
    public static let sourceNames = Provider.allCases.map(\.rawValue)
}

/// The names that `providers` may list.
enum Provider: String, CaseIterable {
    case giphy, klipy, commons, openverse, folder

    /// In the order written. Without a list, every source that has a section.
    static func list(in map: ConfigMap) -> [Provider] {
        guard map.has("providers") else { return allCases.filter { map.has($0.rawValue) } }
        let names = map.sourceNames("providers") ?? []
        if names.isEmpty { map.fault("providers", "no source is listed; leave the key out for the samples") }
        return names.compactMap { Provider(rawValue: $0) }
    }
}

extension ConfigMap {
    /// A list of sources' names, each once.
    public func sourceNames(_ key: String) -> [String]? {
        guard let nodes = list(key) else { return nil }
        var listed: [String] = []
        for (index, node) in nodes.enumerated() {
            let fault = { (message: String) in
                self.context.fault(message, at: node.place, path: self.path(of: key) + "[\(index)]")
            }
            let expected = "expected one of " + SearchSettings.sourceNames.joined(separator: ", ")
            guard case .scalar(let text, _) = node.value else {
                fault("\(expected); found \(node.kindName)")
                continue
            }
            guard let provider = Provider(rawValue: text.lowercased()) else {
                let hint = nearest(to: text, among: SearchSettings.sourceNames).map { "; did you mean \($0)?" } ?? ""
                fault(expected + hint)
                continue
            }
            if listed.contains(provider.rawValue) {
                fault("\(provider.rawValue) is listed twice")
            } else {
                listed.append(provider.rawValue)
            }
        }
        return listed
    }
}
