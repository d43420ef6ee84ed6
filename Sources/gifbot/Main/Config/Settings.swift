import Base
import Bot
import GiphySearch
import IRCAdapter
import MatrixAdapter

/// The whole config, decoded: each section by the target whose it is.
struct Settings: Sendable {
    /// The `bot:` section.
    private(set) var program: BotSectionSettings
    let bot: BotSettings
    /// In the order of `protocols`.
    let networks: [any ConfiguredNetwork]
    let search: SearchSettings
    let log: LogSettings

    /// The chat protocols there are.
    static let protocols: [any ConfiguredNetwork.Type] = [IRCNetworkSettings.self, MatrixAccountSettings.self]

    /// Faults are in the map's context; the value is only good when there are none.
    init(_ root: ConfigMap) {
        let context = root.context
        let defaultsMap = root.map("defaults")
        let defaults = defaultsMap.map { ChannelOverrides($0, layer: .defaults) } ?? ChannelOverrides()
        defaultsMap?.finish()

        let entries = NetworkEntry.all(in: root)
        let decoded = entries.compactMap(\.decoded)
        Self.checkNames(entries.filter { $0.decoded != nil }.map(\.map))
        for entry in entries { entry.map.finish() }

        networks = decoded.map(\.network)
        let names = networks.filter { type(of: $0).kind.namesPeopleByNetwork }.map(\.name)
        program =
            root.map("bot").map { BotSectionSettings($0, networks: names) }
            ?? BotSectionSettings(ConfigMap(emptyAt: "bot", in: context), networks: names)
        bot = BotSettings(defaults: defaults, networks: decoded.map(\.layer), exempt: program.exempt)
        search = SearchSettings(decoding: root)
        log = root.map("log").map { LogSettings($0) } ?? LogSettings()
        root.finish()
        warnAboutSources(in: context)
    }

    /// What the console has when there is no config: the samples, and nothing else.
    init() {
        program = BotSectionSettings()
        bot = BotSettings()
        networks = []
        search = SearchSettings()
        log = LogSettings()
    }

    /// The same, with more people ignored.
    func ignoring(_ people: [BotSectionSettings.Person]) -> Settings {
        var settings = self
        settings.program.ignored += people
        return settings
    }

    /// A network that the config doesn't have is a slip: its settings would be those of no channel. Channels are free, since the
    /// bot may come to be in others. Nil where the place is good.
    func fault(of place: ConsolePlace) -> String? {
        let names = networks.map(\.name)
        guard place != ConsolePlace(), !names.isEmpty, !names.contains(place.network) else { return nil }
        let hint = nearest(to: place.network, among: names).map { "did you mean \($0)?" }
        return "--as: the config has no network \(place.network); "
            + (hint ?? "there is: \(names.joined(separator: ", "))")
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
