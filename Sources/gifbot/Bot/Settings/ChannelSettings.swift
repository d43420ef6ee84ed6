import Base
public import GiphySearch
public import RateLimiter

/// What is in force in one conversation, after the layers defaults → network → channel.
public struct ChannelSettings: Equatable, Sendable {
    public enum Media: String, CaseIterable, Sendable {
        case link, image, auto
    }

    /// Who may save into and delete from the channel's own collection.
    public enum Collection: String, CaseIterable, Sendable {
        case operators, everyone, off
    }

    /// The rules of the five scopes; nil is no limit.
    public struct Limits: Equatable, Sendable {
        public var user: RateLimitRule? = RateLimitRule(perMinute: 5)
        public var channel: RateLimitRule? = RateLimitRule(perMinute: 10)
        public var userInChannel: RateLimitRule?
        public var network: RateLimitRule?
        public var global: RateLimitRule? = RateLimitRule(perMinute: 60)

        public init() {}
    }

    /// The command word, lower case.
    public var command = "gif"
    /// Other words that do the same, lower case.
    public var aliases = ["giphy"]
    /// What may stand in front of the command word.
    public var prefixes = ["!"]
    public var isEnabled = true
    /// Private messages and direct chats are answered.
    public var answersPrivately = true
    public var rating = Rating.g
    public var allowsUnrated = false
    public var language = "en"
    /// The sources asked here, in this order; nil for all of `search.providers`.
    public var providers: [String]?
    public var media = Media.auto
    /// Bytes of the file that is posted.
    public var maximumBytes = 8_000_000
    /// Pixels.
    public var maximumWidth = 800
    public var allowsStickers = true
    public var collection = Collection.operators
    /// A command that is older when it comes is not answered.
    public var ageLimit = Duration.minutes(2)
    public var template = ReplyTemplate.standard
    /// Lower case.
    public var deniedWords: [String] = []
    public var deniedIDs: Set<String> = []
    public var limits = Limits()

    public init() {}

    /// What a GIF must be to be posted here.
    public var suitability: Suitability {
        Suitability(
            rating: rating, allowsUnrated: allowsUnrated, allowsStickers: allowsStickers, maximumBytes: maximumBytes,
            maximumWidth: maximumWidth, deniedWords: deniedWords, deniedIDs: deniedIDs)
    }
}
