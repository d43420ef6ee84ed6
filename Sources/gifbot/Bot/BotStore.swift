public import Base
public import Chat

/// What the bot remembers over a restart. Reads come from memory, writes never wait.
@Loop public protocol BotStore: AnyObject {
    /// When a GIF (`giphy:abc`) was shown here last, as a number that grows; nil when it wasn't lately.
    func lastShown(_ id: String, in conversation: Conversation) -> UInt64?
    func record(shown id: String, in conversation: Conversation, at time: WallTime)

    /// Rate limits in use, to be taken up again after a restart: when each bucket is full again.
    func savedBuckets() -> [SavedBucket]
    func save(buckets: [SavedBucket])
}

/// One rate limit in use: the key as the limiter spells it, and the time at which the bucket is full again.
public struct SavedBucket: Equatable, Sendable {
    public let key: String
    public let fullAt: WallTime

    public init(key: String, fullAt: WallTime) {
        self.key = key
        self.fullAt = fullAt
    }
}
