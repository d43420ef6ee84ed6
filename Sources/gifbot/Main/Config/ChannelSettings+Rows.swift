import Base
import Bot
import GiphySearch
import RateLimiter

/// One setting in force: its key as in the config, `limits.user` for one inside another, and its value as it could be
/// written there.
struct SettingRow: Equatable {
    let key: String
    let value: String

    init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

extension ChannelSettings {
    /// Every setting of a conversation.
    var rows: [SettingRow] {
        [
            SettingRow("enabled", "\(isEnabled)"), SettingRow("private", "\(answersPrivately)"),
            SettingRow("command", command), SettingRow("aliases", Self.list(aliases)),
            SettingRow("prefixes", Self.list(prefixes)), SettingRow("rating", rating.rawValue),
            SettingRow("unrated", "\(allowsUnrated)"), SettingRow("language", language),
            SettingRow("providers", providers.map(Self.list) ?? "all"),
            SettingRow("media", media.rawValue), SettingRow("max_bytes", Self.size(maximumBytes)),
            SettingRow("max_width", "\(maximumWidth)"), SettingRow("sticker", "\(allowsStickers)"),
            SettingRow("collection", collection.rawValue), SettingRow("age_limit", ageLimit.configText),
            SettingRow("template", Self.quoted(template.text)),
            SettingRow("deny.words", Self.list(deniedWords)), SettingRow("deny.ids", Self.list(deniedIDs.sorted())),
            SettingRow("limits.user", Self.rule(limits.user)), SettingRow("limits.channel", Self.rule(limits.channel)),
            SettingRow("limits.user_in_channel", Self.rule(limits.userInChannel)),
            SettingRow("limits.network", Self.rule(limits.network)),
            SettingRow("limits.global", Self.rule(limits.global)),
        ]
    }

    private static func rule(_ rule: RateLimitRule?) -> String { rule?.text ?? "off" }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }

    /// A long list says how long it is.
    private static func list(_ texts: [String]) -> String {
        let shown = texts.prefix(8).map(quoted).joined(separator: ", ")
        return "[\(shown)\(texts.count > 8 ? ", and \(texts.count - 8) more" : "")]"
    }

    private static func size(_ bytes: Int) -> String {
        let units = [(1_000_000, "MB"), (1 << 20, "MiB"), (1000, "KB"), (1024, "KiB")]
        guard let unit = units.first(where: { bytes % $0.0 == 0 }) else { return "\(bytes)" }
        return "\(bytes / unit.0)\(unit.1)"
    }
}

extension Duration {
    /// As the config writes it: the largest unit in which it is whole.
    var configText: String {
        let seconds = components.seconds
        let units: [(Int64, String)] = [(86400, "d"), (3600, "h"), (60, "m")]
        guard let unit = units.first(where: { seconds % $0.0 == 0 }) else { return "\(seconds)s" }
        return "\(seconds / unit.0)\(unit.1)"
    }
}
