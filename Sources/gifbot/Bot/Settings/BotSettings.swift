public import Chat
import GiphySearch

/// All that the bot's behaviour depends on, with the layers merged beforehand: a message costs two look-ups.
/// A reload makes a new value and swaps it in one step.
public struct BotSettings: Sendable {
    /// One network's layer and those of its channels or rooms.
    public struct Network: Sendable {
        public let name: String
        /// The prefixes of this kind of network where no layer names any.
        public let prefixes: [String]
        public let overrides: ChannelOverrides
        /// By the name that `Conversation.name` has.
        public let conversations: [(name: String, overrides: ChannelOverrides)]

        public init(
            name: String, prefixes: [String], overrides: ChannelOverrides,
            conversations: [(name: String, overrides: ChannelOverrides)]
        ) {
            self.name = name
            self.prefixes = prefixes
            self.overrides = overrides
            self.conversations = conversations
        }
    }

    private struct Branch: Sendable {
        let other: Channel
        let named: [String: Channel]
    }

    let exempt: BotSectionSettings.Exempt
    private let root: Channel
    private let networks: [String: Branch]

    public init(
        defaults: ChannelOverrides = ChannelOverrides(), networks: [Network] = [],
        exempt: BotSectionSettings.Exempt = .none
    ) {
        self.exempt = exempt
        root = Channel(ChannelSettings().with(defaults))
        var branches: [String: Branch] = [:]
        for network in networks {
            var base = ChannelSettings()
            base.prefixes = network.prefixes
            let layered = base.with(defaults).with(network.overrides)
            var named: [String: Channel] = [:]
            for (name, overrides) in network.conversations {
                named[name] = Channel(layered.with(overrides))
            }
            branches[network.name] = Branch(other: Channel(layered), named: named)
        }
        self.networks = branches
    }

    /// The settings in force in a conversation; one that the file doesn't name has its network's.
    public func settings(for conversation: Conversation) -> ChannelSettings {
        channel(for: conversation).settings
    }

    /// Every prefix in force somewhere on a network, for an adapter that drops chat before it becomes a message.
    public func prefixes(on network: String) -> [String] {
        Set(channels(on: network).flatMap(\.settings.prefixes)).sorted()
    }

    /// Every command word in force somewhere on a network.
    public func words(on network: String) -> [String] {
        Set(channels(on: network).flatMap { [$0.settings.command] + $0.settings.aliases }).sorted()
    }

    /// The longest age at which a command is still answered somewhere on a network.
    public func longestAge(on network: String) -> Duration {
        channels(on: network).map(\.settings.ageLimit).max() ?? .zero
    }

    /// The channels or rooms that the file names on a network; nil when it has no such network.
    func names(on network: String) -> [String]? {
        networks[network].map { Array($0.named.keys) }
    }

    private func channels(on network: String) -> [Channel] {
        guard let branch = networks[network] else { return [root] }
        return [branch.other] + branch.named.values
    }

    func channel(for conversation: Conversation) -> Channel {
        guard let branch = networks[conversation.network] else { return root }
        return branch.named[conversation.name] ?? branch.other
    }
}

/// Settings with what is computed from them once: a command keeps the one it began with.
final class Channel: Sendable {
    let settings: ChannelSettings
    let parser: CommandParser
    let suitability: Suitability
    private let filter: SuitabilityFilter?

    init(_ settings: ChannelSettings) {
        self.settings = settings
        parser = CommandParser(
            prefixes: settings.prefixes, words: [settings.command] + settings.aliases)
        suitability = settings.suitability
        filter = settings.deniedWords.isEmpty ? nil : SuitabilityFilter(settings.suitability)
    }

    /// Whether what is searched for holds a word that is denied here.
    func denies(words: String) -> Bool {
        filter?.denies(words: words) ?? false
    }
}
