import Base
import Bot
import GiphySearch
import IRCAdapter
import MatrixAdapter

/// The whole config, decoded: each section by the target whose it is.
struct Settings: Sendable {
    private(set) var section: BotSectionSettings
    let bot: BotSettings
    let irc: [IRCNetworkSettings]
    let matrix: [MatrixAccountSettings]
    let search: SearchSettings
    let log: LogSettings

    /// Prefixes on Matrix where none are set: Element turns `//gif` into `/gif`, other clients send it as it is.
    static let matrixPrefixes = ["!", "/", "//"]
    static let ircPrefixes = ["!"]

    /// Faults are in the map's context; the value is only good when there are none.
    init(_ root: ConfigMap) {
        let context = root.context
        let ircMaps = root.sections("irc")
        let matrixMaps = root.sections("matrix")
        let defaultsMap = root.map("defaults")
        let defaults = defaultsMap.map { ChannelOverrides($0, layer: .defaults) } ?? ChannelOverrides()
        defaultsMap?.finish()

        let networks = ircMaps.compactMap { NetworkSection(irc: $0) }
        let accounts = matrixMaps.compactMap { NetworkSection(matrix: $0) }
        Self.checkNames(networks.map(\.map) + accounts.map(\.map))
        for map in ircMaps + matrixMaps { map.finish() }

        irc = networks.compactMap(\.irc)
        matrix = accounts.compactMap(\.matrix)
        let names = irc.map(\.name)
        section =
            root.map("bot").map { BotSectionSettings($0, networks: names) }
            ?? BotSectionSettings(ConfigMap(emptyAt: "bot", in: context), networks: names)
        bot = BotSettings(defaults: defaults, networks: (networks + accounts).map(\.layer), section: section)
        search = SearchSettings(decoding: root)
        log = root.map("log").map { LogSettings($0) } ?? LogSettings()
        root.finish()
        warnAboutSources(in: context)
    }

    /// What the console has when there is no config: the samples, and nothing else.
    init() {
        section = BotSectionSettings()
        bot = BotSettings()
        irc = []
        matrix = []
        search = SearchSettings()
        log = LogSettings()
    }

    /// The same, with more people ignored.
    func ignoring(_ people: [BotSectionSettings.Person]) -> Settings {
        var settings = self
        settings.section.ignored += people
        return settings
    }

    /// Who is who on a network, with what a command can begin there, and how old it may be.
    func people(of network: IRCNetworkSettings) -> IRCPeople {
        IRCPeople(
            admins: section.admins(of: network.name), ignored: section.ignored(on: network.name),
            triggers: bot.prefixes(on: network.name), ageLimit: bot.longestAge(on: network.name))
    }

    /// Admins, limits and the log speak of networks by name, so a name may stand for one only.
    private static func checkNames(_ maps: [ConfigMap]) {
        var seen: Set<String> = []
        for map in maps {
            guard let name = map.text("name") else { continue }
            if name.contains("/") { map.fault("name", "a network's name may not hold a /") }
            if !seen.insert(name).inserted { map.fault("name", "this name is given to two networks") }
        }
    }
}

/// One network or account: connection settings, and the layers of channel settings that stand beside them.
private struct NetworkSection {
    let map: ConfigMap
    let layer: BotSettings.Network
    var irc: IRCNetworkSettings?
    var matrix: MatrixAccountSettings?

    init?(irc map: ConfigMap) {
        guard let (settings, channels) = IRCNetworkSettings.decode(map) else { return nil }
        self.map = map
        irc = settings
        layer = Self.layer(map, name: settings.name, prefixes: Settings.ircPrefixes, conversations: channels)
    }

    init?(matrix map: ConfigMap) {
        guard let (settings, rooms) = MatrixAccountSettings.decode(map) else { return nil }
        self.map = map
        matrix = settings
        layer = Self.layer(map, name: settings.name, prefixes: Settings.matrixPrefixes, conversations: rooms)
    }

    private static func layer(
        _ map: ConfigMap, name: String, prefixes: [String], conversations: [(name: String, map: ConfigMap?)]
    ) -> BotSettings.Network {
        BotSettings.Network(
            name: name, prefixes: prefixes, overrides: ChannelOverrides(map, layer: .network),
            conversations: conversations.map { name, map in
                let overrides = map.map { ChannelOverrides($0, layer: .channel) } ?? ChannelOverrides()
                map?.finish()
                return (name, overrides)
            })
    }
}

extension ConfigMap {
    /// The mappings of a list of sections.
    fileprivate func sections(_ key: String) -> [ConfigMap] {
        (list(key) ?? []).enumerated().compactMap { index, node in
            ConfigMap(node, path: path(of: key) + "[\(index)]", in: context)
        }
    }
}
