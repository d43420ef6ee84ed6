import Base

extension SearchSettings {
    /// The sections of the sources, read whether they are listed or not, so that a fault in one shows.
    struct Sections {
        private let giphy: Keyed?
        private let klipy: Keyed?
        private let commons: Free?
        private let openverse: Free?
        private let folder: Folder?

        init(decoding map: ConfigMap) {
            giphy = map.section("giphy").flatMap {
                Keyed(decoding: $0, base: GiphyAPI.defaultBase, looksFurther: true) { _ in .giphy }
            }
            klipy = map.section("klipy").flatMap {
                Keyed(decoding: $0, base: KlipyAPI.defaultBase) { ProviderPolicy.klipy(at: $0) }
            }
            commons = map.section("commons").flatMap {
                Free(decoding: $0, base: CommonsAPI.defaultBase, .commons(rating: .pg13), needsContact: true)
            }
            openverse = map.section("openverse").flatMap {
                Free(decoding: $0, base: OpenverseAPI.defaultBase, .openverse(rating: .pg13), needsContact: false)
            }
            folder = map.section("folder").map { Folder(decoding: $0) }
        }

        /// One that needs no more than its name may be listed without a section.
        func source(_ provider: Provider, in map: ConfigMap) -> Source? {
            switch provider {
            case .giphy:
                needsSection(provider, in: map, with: "its key")
                return giphy.map { .giphy($0) }
            case .klipy:
                needsSection(provider, in: map, with: "its key")
                return klipy.map { .klipy($0) }
            case .commons:
                needsSection(provider, in: map, with: "your contact")
                return commons.map { .commons($0) }
            case .openverse:
                return .openverse(openverse ?? Free(base: OpenverseAPI.defaultBase, .openverse(rating: .pg13)))
            case .folder:
                let folder = folder ?? Folder()
                if folder.publicURL == nil {
                    map.warn(
                        "folder", "without public_url the links are file: addresses, which open on this machine alone")
                }
                return .folder(folder)
            }
        }

        private func needsSection(_ provider: Provider, in map: ConfigMap, with what: String) {
            guard !map.has(provider.rawValue) else { return }
            map.fault(
                provider.rawValue, "\(provider.rawValue) is listed in providers, and has no section with \(what)")
        }
    }
}

extension SearchSettings.Keyed {
    /// `policy` are the published rules for the address in force.
    /// `looksFurther`: it can be asked once more where it finds nothing.
    init?(
        decoding map: ConfigMap, base defaultBase: String, looksFurther: Bool = false,
        policy: (String) -> ProviderPolicy
    ) {
        let key = map.secret("key")
        if key == nil, !map.has("key"), !map.has("key_file") {
            map.fault("key", "missing: expected the source's API key, or key_file")
        }
        let base = map.address("base_url") ?? defaultBase
        let budget = map.budget("budget")
        let permission = map.text("permission")
        if let permission, permission.allSatisfy(\.isWhitespace) {
            map.fault("permission", "expected the reason for which the source's rules don't hold")
        }
        let rules = policy(base)
        let lifetime = map.cacheLifetime(rules, hasPermission: permission != nil)
        let translates = looksFurther ? map.bool("translate") : nil
        let suggests = looksFurther ? map.bool("suggestions") : nil
        map.finish()
        guard let key else { return nil }
        self.init(
            key: key, baseURL: base, budget: budget ?? rules.defaultBudget, keepsResultsFor: lifetime,
            hasPermission: permission != nil, translates: translates ?? false, suggests: suggests ?? false)
    }

    /// The rules this key works under, made of the published ones.
    func policy(_ published: ProviderPolicy) -> ProviderPolicy {
        if hasPermission { return published.lifted(keepingResultsFor: keepsResultsFor) }
        var policy = published
        policy.keepsResultsFor = min(policy.keepsResultsFor, keepsResultsFor)
        return policy
    }
}

extension SearchSettings.Free {
    init(base: String, _ policy: ProviderPolicy) {
        self.init(
            contact: "", baseURL: base, budget: policy.defaultBudget, keepsResultsFor: policy.keepsResultsFor,
            rating: policy.fixedRating ?? .pg13)
    }

    init?(decoding map: ConfigMap, base: String, _ policy: ProviderPolicy, needsContact: Bool) {
        self.init(base: base, policy)
        let contact = needsContact ? map.contact("contact") : ""
        if let base = map.address("base_url") { baseURL = base }
        if let budget = map.budget("budget") { self.budget = budget }
        if let rating = map.choice("rating", Rating.self) { self.rating = rating }
        keepsResultsFor = map.cacheLifetime(policy, hasPermission: false)
        map.finish()
        guard let contact else { return nil }
        self.contact = contact
    }

    func policy(_ published: ProviderPolicy) -> ProviderPolicy {
        var policy = published
        policy.keepsResultsFor = min(policy.keepsResultsFor, keepsResultsFor)
        return policy
    }
}

extension SearchSettings.Folder {
    init(decoding map: ConfigMap) {
        self.init()
        path = map.filePath("path")
        publicURL = map.address("public_url")
        if let rating = map.choice("rating", Rating.self) { self.rating = rating }
        map.finish()
    }
}

extension ConfigMap {
    /// Nil when it isn't there, without a fault.
    fileprivate func section(_ key: String) -> ConfigMap? { has(key) ? map(key) : nil }

    /// An address without query, `https:` or on loopback; no slash at the end.
    fileprivate func address(_ key: String) -> String? {
        guard let text = text(key) else { return nil }
        guard let address = WebAddress(text), address.rest.allSatisfy({ $0 != "?" && $0 != "#" }) else {
            fault(key, "expected an address such as https://example.org")
            return nil
        }
        guard address.isSecure || address.isLoopback else {
            fault(key, "expected an https address; plain http is accepted on this machine alone (127.0.0.1, localhost)")
            return nil
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Some nil for `off`; nil when absent or faulty.
    fileprivate func budget(_ key: String) -> BudgetRule?? {
        guard let text = text(key) else { return nil }
        if text.lowercased() == "off" { return .some(nil) }
        guard let rule = BudgetRule(configText: text) else {
            fault(key, "expected calls in a time, such as 100/1h, or off")
            return nil
        }
        return rule
    }

    /// How long answers are kept: as long as the rules allow, unless less is written.
    fileprivate func cacheLifetime(_ policy: ProviderPolicy, hasPermission: Bool) -> Duration {
        guard let seconds = integer("cache_seconds", in: 0...2_592_000) else { return policy.keepsResultsFor }
        let allowed = policy.keepsResultsFor.components.seconds
        if seconds > allowed, !hasPermission {
            fault(
                "cache_seconds",
                "\(policy.credit)'s rules allow \(allowed) at most"
                    + (policy.mayStoreURLs ? "" : "; with its permission in hand, write why in permission"))
        }
        return .seconds(seconds)
    }

    /// An address or page that leads to a person; it goes into a header, so it is plain ASCII.
    fileprivate func contact(_ key: String) -> String? {
        let advice = "such as mailto:you@example.org or https://example.org/contact, since Wikimedia asks for one"
        guard has(key) else {
            fault(key, "missing: expected where you can be reached, \(advice)")
            return nil
        }
        guard let text = text(key) else { return nil }
        let isPlain = text.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")")
        }
        guard isPlain, (6...200).contains(text.utf8.count), text.contains("@") || text.hasPrefix("https://") else {
            fault(key, "expected where you can be reached, \(advice)")
            return nil
        }
        return text
    }
}
