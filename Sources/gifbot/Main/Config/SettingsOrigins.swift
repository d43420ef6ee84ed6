import Base

/// Where in the file each channel setting was written: the innermost layer that names it.
struct SettingsOrigins: Sendable {
    /// Lines by key, `limits.user` for one inside another.
    private typealias Layer = [String: Int]

    private let defaults: Layer
    private let networks: [String: Layer]
    /// By network, then by channel.
    private let channels: [String: [String: Layer]]

    /// `root` is nil where the file couldn't be read: then everything is a default.
    init(_ root: ConfigNode?) {
        defaults = Self.layer(root?.value(of: "defaults"))
        var networks: [String: Layer] = [:]
        var channels: [String: [String: Layer]] = [:]
        for kind in Settings.protocols.map({ $0.kind }) {
            for entry in root?.value(of: kind.section)?.items ?? [] {
                guard let name = entry.value(of: "name")?.text else { continue }
                networks[name] = Self.layer(entry)
                for channel in entry.value(of: kind.conversations)?.items ?? [] {
                    guard let own = channel.value(of: "name")?.text else { continue }
                    channels[name, default: [:]][own] = Self.layer(channel)
                }
            }
        }
        self.networks = networks
        self.channels = channels
    }

    /// `channel line 12`, `network line 7`, `defaults line 3` or `default`.
    func origin(of key: String, network: String, channel: String) -> String {
        if let line = channels[network]?[channel]?[key] { return "channel line \(line)" }
        if let line = networks[network]?[key] { return "network line \(line)" }
        if let line = defaults[key] { return "defaults line \(line)" }
        return "default"
    }

    private static func layer(_ node: ConfigNode?) -> Layer {
        guard case .map(let entries) = node?.value else { return [:] }
        var layer: Layer = [:]
        for (key, value) in entries {
            layer[key.name] = key.place.line
            guard ["limits", "deny"].contains(key.name), case .map(let inner) = value.value else { continue }
            for (key2, _) in inner { layer["\(key.name).\(key2.name)"] = key2.place.line }
        }
        return layer
    }
}

extension ConfigNode {
    fileprivate func value(of key: String) -> ConfigNode? {
        guard case .map(let entries) = value else { return nil }
        return entries.first { $0.key.name == key }?.value
    }

    fileprivate var items: [ConfigNode] {
        guard case .list(let items) = value else { return [] }
        return items
    }

    fileprivate var text: String? {
        guard case .scalar(let text, _) = value else { return nil }
        return text
    }
}
