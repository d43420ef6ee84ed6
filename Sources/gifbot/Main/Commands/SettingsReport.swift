import Base
import Bot
import Chat
import GiphySearch
import IRCAdapter
import MatrixAdapter
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
        var lines = ["state: \(settings.section.state)"]
        lines.append("sources: " + settings.search.sources.map(\.name).joined(separator: ", "))
        for network in settings.irc {
            let connection = network.connection
            let tls = connection.endpoint.tls == nil ? "plain text" : "TLS"
            lines.append(
                "\(network.name): irc, \(connection.endpoint.host):\(connection.endpoint.port), \(tls), as \(connection.nick)"
            )
            lines += places(of: network.name, network.channels.map(\.name), kind: "channels")
        }
        for account in settings.matrix {
            let user = account.user.map { ", as \($0)" } ?? ""
            lines.append(
                "\(account.name): matrix, \(account.homeserver ?? "homeserver found by the user's server")\(user)")
            lines += places(of: account.name, account.rooms, kind: "rooms")
        }
        if !record.ignored.isEmpty { lines.append("ignored by chat: \(record.ignored.count), see !gif admin status") }
        if settings.irc.isEmpty, settings.matrix.isEmpty { lines.append("no network: gifbot run needs one") }
        return lines
    }

    /// Places whose settings are the same, and from the same lines, stand together.
    private func places(of network: String, _ names: [String], kind: String) -> [String] {
        let byChat = record.changes.compactMap { change -> String? in
            guard case .channel(network, let name) = change.reach, !names.contains(name) else { return nil }
            return name
        }
        var groups: [(names: [String], rows: [Row])] = []
        // No conversation has an empty name, so that finds the network's own layer.
        for name in names + Array(Set(byChat)).sorted() + [""] {
            let rows = rows(network, name)
            let shown = name.isEmpty ? (groups.isEmpty ? "all \(kind)" : "other \(kind)") : name
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

    private func rows(_ network: String, _ name: String) -> [Row] {
        let place = Conversation(network: network, name: name, isDirect: false)
        let written = settings.bot.settings(for: place).rows
        let (inForce, changes) = settings.bot.settings(for: place, under: record)
        return zip(written, inForce.rows).map { written, now in
            // Without a list of its own a place asks all sources, in their order.
            if now.key == "providers", settings.bot.settings(for: place).providers == nil {
                let all = settings.search.sources.map { "\"\($0.name)\"" }.joined(separator: ", ")
                return Row(setting: SettingRow(now.key, "[\(all)]"), origin: "as in search")
            }
            let change = written == now ? nil : changes.last { $0.setting.key == now.key }
            let origin = change.map(Self.text) ?? origins.origin(of: now.key, network: network, channel: name)
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
