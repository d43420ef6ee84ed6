public import Base

/// The `search` section of the config.
public struct SearchSettings: Sendable, Equatable {
    public struct Giphy: Sendable, Equatable {
        public var key: Secret
        /// `https:`, or `http:` on loopback.
        public var baseURL: String
        /// Nil when switched off.
        public var budget: BudgetRule?
        /// How long an answer is kept: 60 s at most without permission.
        public var keepsResultsFor: Duration
        /// The operator has GIPHY's permission for more than its published rules allow.
        public var hasPermission: Bool
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
        case giphy(Giphy)
        case folder(Folder)

        /// As `providers` lists it.
        public var name: String {
            switch self {
            case .giphy: "giphy"
            case .folder: "folder"
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
        let giphy = map.has("giphy") ? map.map("giphy") : nil
        let folder = map.has("folder") ? map.map("folder") : nil
        let decodedGiphy = giphy.flatMap { Giphy(decoding: $0) }
        let decodedFolder = folder.map { Folder(decoding: $0) }
        for provider in Provider.allCases where !provider.isAvailable && map.has(provider.rawValue) {
            map.warn(provider.rawValue, "\(provider.rawValue) is not available yet; its settings are not read")
        }
        map.finish()

        sources = names.compactMap { name in
            switch name {
            case .giphy:
                if giphy == nil { map.fault("giphy", "giphy is listed in providers, and has no section with its key") }
                return decodedGiphy.map { .giphy($0) }
            case .folder:
                let folder = decodedFolder ?? Folder()
                if folder.publicURL == nil {
                    map.warn(
                        "folder", "without public_url the links are file: addresses, which open on this machine alone")
                }
                return .folder(folder)
            case .klipy, .commons, .openverse:
                return nil
            }
        }
        if sources.isEmpty { sources = [.folder(Folder())] }
    }
}

/// The names that `providers` may list.
private enum Provider: String, CaseIterable {
    case giphy, folder, klipy, commons, openverse

    var isAvailable: Bool {
        switch self {
        case .giphy, .folder: true
        case .klipy, .commons, .openverse: false
        }
    }

    /// In the order written. Without a list, every source that has a section.
    static func list(in map: ConfigMap) -> [Provider] {
        guard map.has("providers") else {
            return allCases.filter { $0.isAvailable && map.has($0.rawValue) }
        }
        guard let nodes = map.list("providers") else { return [] }
        if nodes.isEmpty { map.fault("providers", "no source is listed; leave the key out for the samples") }
        var listed: [Provider] = []
        for (index, node) in nodes.enumerated() {
            let fault = { (message: String) in
                map.context.fault(message, at: node.place, path: map.path(of: "providers") + "[\(index)]")
            }
            let expected = "expected one of " + allCases.map(\.rawValue).joined(separator: ", ")
            guard case .scalar(let text, _) = node.value else {
                fault("\(expected); found \(node.kindName)")
                continue
            }
            guard let provider = Provider(rawValue: text.lowercased()) else {
                let hint = nearest(to: text, among: allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
                fault(expected + hint)
                continue
            }
            if !provider.isAvailable {
                fault("\(provider.rawValue) is not available yet")
            } else if listed.contains(provider) {
                fault("\(provider.rawValue) is listed twice")
            } else {
                listed.append(provider)
            }
        }
        return listed
    }
}
