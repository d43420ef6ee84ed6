import Base
import Bot
import Chat
import GiphySearch
import IRCAdapter
import MatrixAdapter
import OpenSSL
import RateLimiter

/// `gifbot check`: reads the config like a doctor. Faults and warnings go to standard error, the settings in force to
/// standard output.
struct CheckCommand {
    let config: String?

    func perform() -> Exit {
        guard let (_, loaded) = SettingsFile.loadAndTell(named: config) else { return .badConfig }
        for line in loaded.lines(of: loaded.warnings, as: "warning") { Output.error.write(line + "\n") }
        guard let settings = loaded.settings else {
            let count = loaded.faults.count
            Output.error.write("\(loaded.file): \(count) \(count == 1 ? "fault" : "faults")\n")
            return .badConfig
        }
        for line in SettingsReport(settings).lines { Output.standard.write(line + "\n") }
        return .asAsked
    }
}

/// The settings in force, per channel, as lines for people.
struct SettingsReport {
    private let settings: Settings

    init(_ settings: Settings) {
        self.settings = settings
    }

    var lines: [String] {
        var lines = ["state: \(settings.section.state)"]
        lines.append("sources: " + settings.search.sources.map(\.name).joined(separator: ", "))
        for network in settings.irc {
            let endpoint = network.connection.endpoint
            let tls = endpoint.tls == nil ? "plain text" : "TLS"
            lines.append(
                "\(network.name): irc, \(endpoint.host):\(endpoint.port), \(tls), as \(network.connection.nick)")
            lines += places(of: network.name, names: network.channels.map(\.name), other: "other channels")
        }
        for account in settings.matrix {
            lines.append("\(account.name): matrix, \(account.homeserver ?? "homeserver found by the user's server")")
            lines += places(of: account.name, names: account.rooms, other: "other rooms")
        }
        if settings.irc.isEmpty, settings.matrix.isEmpty { lines.append("no network: gifbot run needs one") }
        return lines
    }

    private func places(of network: String, names: [String], other: String) -> [String] {
        let named = names.map { name in
            "  \(name): "
                + description(settings.bot.settings(for: Conversation(network: network, name: name, isDirect: false)))
        }
        // No conversation has an empty name, so this finds the network's own layer.
        let rest = settings.bot.settings(for: Conversation(network: network, name: "", isDirect: false))
        return named + ["  \(other): \(description(rest))"]
    }

    private func description(_ channel: ChannelSettings) -> String {
        guard channel.isEnabled else { return "off" }
        let prefixes = channel.prefixes.map { $0 + channel.command }.joined(separator: " ")
        let rating = "rating \(channel.rating.rawValue)" + (channel.allowsUnrated ? " and unrated" : "")
        let size = "at most \(channel.maximumBytes) bytes, \(channel.maximumWidth) px wide"
        return [prefixes, rating, size, limits(channel.limits)].joined(separator: "; ")
    }

    private func limits(_ limits: ChannelSettings.Limits) -> String {
        let all: [(String, RateLimitRule?)] = [
            ("user", limits.user), ("channel", limits.channel), ("user_in_channel", limits.userInChannel),
            ("network", limits.network), ("global", limits.global),
        ]
        let set = all.compactMap { name, rule in rule.map { "\(name) \($0.text)" } }
        return set.isEmpty ? "no limits" : "limits " + set.joined(separator: ", ")
    }
}
