public import Base
public import Chat
public import RateLimiter

/// What the bot remembers over a restart. Reads come from memory, writes never wait.
@Loop public protocol BotStore: AnyObject {
    /// When a GIF (`giphy:abc`) was shown here last, as a number that grows; nil when it wasn't lately.
    func lastShown(_ id: String, in conversation: Conversation) -> UInt64?
    func record(shown id: String, in conversation: Conversation, at time: WallTime)

    /// Rate limits in use at the last end, to be taken up again. Handed over once; asked again there are none.
    func takeSavedBuckets() -> [SavedBucket]
    /// Nil: the bucket is no more. Written together with others, at most a second later.
    func record(bucket: LimitKey, fullAt: WallTime?)

    /// Returns once everything noted before is on disk; false when it can't be written now, and the bot goes on without.
    func written() async -> Bool
}

/// One rate limit in use, and the time at which the bucket is full again.
public struct SavedBucket: Hashable, Sendable {
    public let key: LimitKey
    public let fullAt: WallTime

    public init(key: LimitKey, fullAt: WallTime) {
        self.key = key
        self.fullAt = fullAt
    }
}
