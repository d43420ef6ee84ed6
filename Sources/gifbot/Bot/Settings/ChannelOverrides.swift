public import GiphySearch
public import RateLimiter

/// One layer's word on the settings: nil leaves what the layer above says.
public struct ChannelOverrides: Equatable, Sendable {
    public enum Limit: Equatable, Sendable {
        case off
        case rule(RateLimitRule)

        var rule: RateLimitRule? {
            switch self {
            case .off: nil
            case .rule(let rule): rule
            }
        }
    }

    public struct Limits: Equatable, Sendable {
        public var user: Limit?
        public var channel: Limit?
        public var userInChannel: Limit?
        public var network: Limit?
        public var global: Limit?

        public init() {}
    }

    public var command: String?
    public var aliases: [String]?
    public var prefixes: [String]?
    public var isEnabled: Bool?
    public var answersPrivately: Bool?
    public var rating: Rating?
    public var allowsUnrated: Bool?
    public var language: String?
    public var providers: [String]?
    public var media: ChannelSettings.Media?
    public var maximumBytes: Int?
    public var maximumWidth: Int?
    public var allowsStickers: Bool?
    public var collection: ChannelSettings.Collection?
    public var ageLimit: Duration?
    public var template: ReplyTemplate?
    public var deniedWords: [String]?
    public var deniedIDs: Set<String>?
    public var limits = Limits()

    /// A layer that says nothing.
    public init() {}
}

extension ChannelSettings {
    /// These settings with one more layer on top. A list replaces the list above it.
    public func with(_ layer: ChannelOverrides) -> ChannelSettings {
        var settings = self
        settings.take(words: layer)
        settings.take(choice: layer)
        settings.limits.take(layer.limits)
        return settings
    }

    private mutating func take(words layer: ChannelOverrides) {
        command = layer.command ?? command
        aliases = layer.aliases ?? aliases
        prefixes = layer.prefixes ?? prefixes
        isEnabled = layer.isEnabled ?? isEnabled
        answersPrivately = layer.answersPrivately ?? answersPrivately
        ageLimit = layer.ageLimit ?? ageLimit
        template = layer.template ?? template
    }

    private mutating func take(choice layer: ChannelOverrides) {
        rating = layer.rating ?? rating
        allowsUnrated = layer.allowsUnrated ?? allowsUnrated
        language = layer.language ?? language
        providers = layer.providers ?? providers
        media = layer.media ?? media
        maximumBytes = layer.maximumBytes ?? maximumBytes
        maximumWidth = layer.maximumWidth ?? maximumWidth
        allowsStickers = layer.allowsStickers ?? allowsStickers
        collection = layer.collection ?? collection
        deniedWords = layer.deniedWords ?? deniedWords
        deniedIDs = layer.deniedIDs ?? deniedIDs
    }
}

extension ChannelSettings.Limits {
    mutating func take(_ layer: ChannelOverrides.Limits) {
        if let limit = layer.user { user = limit.rule }
        if let limit = layer.channel { channel = limit.rule }
        if let limit = layer.userInChannel { userInChannel = limit.rule }
        if let limit = layer.network { network = limit.rule }
        if let limit = layer.global { global = limit.rule }
    }
}
