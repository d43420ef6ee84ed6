import Base

extension SearchSettings.Giphy {
    init?(decoding map: ConfigMap) {
        let key = map.secret("key")
        if key == nil, !map.has("key"), !map.has("key_file") {
            map.fault("key", "missing: expected GIPHY's API key, or key_file")
        }
        let base = map.address("base_url")
        let budget = map.budget("budget")
        let permission = map.text("permission")
        if let permission, permission.allSatisfy(\.isWhitespace) {
            map.fault("permission", "expected the reason for which the source's rules don't hold")
        }
        let seconds = map.integer("cache_seconds", in: 0...2_592_000)
        let allowed = ProviderPolicy.giphy.keepsResultsFor.components.seconds
        if let seconds, seconds > allowed, permission == nil {
            map.fault(
                "cache_seconds",
                "GIPHY's rules allow \(allowed) at most; with its permission in hand, write why in permission")
        }
        map.finish()
        guard let key else { return nil }
        self.init(
            key: key, baseURL: base ?? GiphyAPI.defaultBase, budget: budget ?? ProviderPolicy.giphy.defaultBudget,
            keepsResultsFor: .seconds(seconds ?? Int(allowed)), hasPermission: permission != nil)
    }

    /// The rules this key works under.
    var policy: ProviderPolicy {
        if hasPermission { return .giphy.lifted(keepingResultsFor: keepsResultsFor) }
        var policy = ProviderPolicy.giphy
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
}
