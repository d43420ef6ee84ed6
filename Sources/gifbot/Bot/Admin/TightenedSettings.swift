import GiphySearch
import RateLimiter

/// How what was set by chat lies over the config: first what bot admins set, in order; then what operators set, each only
/// as far as it tightens that. So a config that became tighter is never loosened by an operator's older word.
extension ChannelSettings {
    /// `wide`: changes for the network and the whole bot.
    func with(_ changes: [AdminChange], wide: [AdminChange]) -> ChannelSettings {
        let ceiling = ceiling(changes, wide: wide)
        var settings = ceiling
        for change in changes where !change.isByAdmin { settings.tighten(change.setting, below: ceiling) }
        return settings
    }

    /// The config with what bot admins set: what no operator may go past.
    func ceiling(_ changes: [AdminChange], wide: [AdminChange]) -> ChannelSettings {
        var settings = self
        for change in wide + changes where change.isByAdmin { settings.set(change.setting) }
        return settings
    }

    private mutating func set(_ setting: AdminSetting) {
        switch setting {
        case .enabled(let isOn): isEnabled = isOn
        case .rating(let rating): self.rating = rating
        case .limit(let scope, let rule): limits[scope] = rule
        case .denied(let word): if !deniedWords.contains(word) { deniedWords.append(word) }
        case .allowed(let word): deniedWords.removeAll { $0 == word }
        case .banned(let id): deniedIDs.insert(id)
        }
    }

    private mutating func tighten(_ setting: AdminSetting, below ceiling: ChannelSettings) {
        switch setting {
        case .enabled(let isOn): isEnabled = ceiling.isEnabled && isOn
        case .rating(let rating): self.rating = min(rating, ceiling.rating)
        case .limit(let scope, let rule):
            limits[scope] =
                if let rule, let highest = ceiling.limits[scope] { rule.tightened(by: highest) } else {
                    rule ?? ceiling.limits[scope]
                }
        case .denied(let word): if !deniedWords.contains(word) { deniedWords.append(word) }
        case .allowed(let word): if !ceiling.deniedWords.contains(word) { deniedWords.removeAll { $0 == word } }
        case .banned(let id): deniedIDs.insert(id)
        }
    }

    /// Throws what stands in an operator's way when these settings are the ceiling.
    func check(_ setting: AdminSetting) throws(AdminFault) {
        switch setting {
        case .enabled(let isOn): if isOn, !isEnabled { throw .looser("off") }
        case .rating(let rating): if rating > self.rating { throw .looser("rating \(self.rating.rawValue)") }
        case .limit(let scope, let rule):
            guard scope != .network, scope != .global else { throw .adminsOnly }
            guard let highest = limits[scope] else { return }
            guard let rule, rule.isTighter(than: highest) else {
                throw .looser(AdminSetting.limit(scope, highest).text)
            }
        case .denied, .banned: return
        case .allowed(let word): if deniedWords.contains(word) { throw .looser("deny \(word)") }
        }
    }
}

extension ChannelSettings.Limits {
    subscript(scope: LimitScope) -> RateLimitRule? {
        get {
            switch scope {
            case .user: user
            case .channel: channel
            case .userInChannel: userInChannel
            case .network: network
            case .global: global
            }
        }
        set {
            switch scope {
            case .user: user = newValue
            case .channel: channel = newValue
            case .userInChannel: userInChannel = newValue
            case .network: network = newValue
            case .global: global = newValue
            }
        }
    }
}
