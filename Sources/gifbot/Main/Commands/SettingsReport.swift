import Base
import Bot
import Chat
import GiphySearch
import RateLimiter
import State

/// The settings in force, per channel, each with where it came from: as lines for people.
struct SettingsReport {
    private let settings: Settings
    private let origins: SettingsOrigins
    private let record: AdminRecord

    /// `record` is what was set by chat.
    init(_ settings: Settings, origins: SettingsOrigins, record: AdminRecord = AdminRecord()) {
        self.settings = settings
        self.origins = origins
        self.record = record
    }

    var lines: [String] {
        var lines = ["state: \(settings.program.state)"]
        lines.append("sources: " + settings.search.sources.map(\.name).joined(separator: ", "))
        for network in settings.networks {
            let kind = type(of: network).kind
            lines.append("\(network.name): \(kind.section), \(network.summary)")
            lines += places(of: network, kind: kind.conversations)
        }
        if !record.ignored.isEmpty { lines.append("ignored by chat: \(record.ignored.count), see !gif admin status") }
        if settings.networks.isEmpty { lines.append("no network: gifbot run needs one") }
        return lines
    }

    /// Places whose settings are the same, and from the same lines, stand together.
    private func places(of network: any ConfiguredNetwork, kind: String) -> [String] {
        let named = Set(network.conversations)
        let byChat = record.changes.compactMap { change -> String? in
            guard case .channel(network.name, let name) = change.reach, !named.contains(name) else { return nil }
            return name
        }
        let places =
            network.conversations.map { Place($0, on: network.name) }
            + Set(byChat).sorted().map { Place($0, on: network.name) } + [Place(restOf: network.name)]
        var groups: [(names: [String], rows: [Row])] = []
        for place in places {
            let rows = rows(place.conversation)
            let shown = place.isRest ? (groups.isEmpty ? "all \(kind)" : "other \(kind)") : place.conversation.name
            if let known = groups.firstIndex(where: { $0.rows == rows }) {
                groups[known].names.append(shown)
            } else {
                groups.append(([shown], rows))
            }
        }
        return groups.flatMap { group in ["  \(Self.names(group.names)):"] + group.rows.map(\.line) }
    }

    private static func names(_ names: [String]) -> String {
        let shown = names.prefix(20).joined(separator: ", ")
        return names.count > 20 ? "\(shown), and \(names.count - 20) more" : shown
    }

    private struct Row: Equatable {
        let setting: SettingRow
        let origin: String

        var line: String {
            let key = setting.key + String(repeating: " ", count: max(0, 24 - setting.key.count))
            let value = setting.value + String(repeating: " ", count: max(0, 16 - setting.value.count))
            return "    \(key)\(value)  (\(origin))"
        }
    }

    private func rows(_ place: Conversation) -> [Row] {
        let written = settings.bot.settings(for: place).rows
        let (inForce, changes) = settings.bot.settings(for: place, under: record)
        return zip(written, inForce.rows).map { written, now in
            // Without a list of its own a place asks all sources, in their order.
            if now.key == "providers", settings.bot.settings(for: place).providers == nil {
                let all = settings.search.sources.map { "\"\($0.name)\"" }.joined(separator: ", ")
                return Row(setting: SettingRow(now.key, "[\(all)]"), origin: "as in search")
            }
            let change = written == now ? nil : changes.last { $0.setting.key == now.key }
            let origin =
                change.map(Self.text) ?? origins.origin(of: now.key, network: place.network, channel: place.name)
            return Row(setting: now, origin: origin)
        }
    }

    private static func text(_ change: AdminChange) -> String {
        "by chat, change \(change.number) by \(change.who)"
    }
}

extension AdminSetting {
    /// The row of the settings that it changes.
    fileprivate var key: String {
        switch self {
        case .enabled: "enabled"
        case .rating: "rating"
        case .limit(let scope, _): "limits.\(scope.rawValue)"
        case .denied, .allowed: "deny.words"
        case .banned: "deny.ids"
        }
    }
}
