public import Base
public import Chat
public import RateLimiter

/// What the bot remembers over a restart. Reads come from memory, writes never wait: who has to be sure asks `written`.
@Loop public protocol BotStore: CollectionStore {
    /// When each GIF (`giphy:abc`) was shown here last, as a number that grows, as far as it was lately.
    func lastShown(in conversation: Conversation) -> [String: UInt64]
    func record(shown id: String, in conversation: Conversation, at time: WallTime)

    /// Rate limits in use at the last end, to be taken up again. Handed over once; asked again there are none.
    func takeSavedBuckets() -> [SavedBucket]
    /// Written together with others, at most a second later.
    func record(_ bucket: SavedBucket)
    /// The bucket is no more.
    func forget(bucket: LimitKey)

    /// What was set by chat, and who did what, as it was at the last end. Handed over once; asked again it is empty.
    func takeAdminRecord() -> AdminRecord
    func record(_ events: [AdminEvent])

    /// Something was noted that has to be on disk before anything is said, and isn't yet.
    var owesWriting: Bool { get }

    /// Returns once everything noted before is on disk; false when it can't be written now, and the bot goes on without.
    func written() async -> Bool
}

/// One rate limit in use.
public struct SavedBucket: Hashable, Sendable {
    public let key: LimitKey
    /// When all of it is back.
    public let fullAt: WallTime
    /// Nanoseconds of a token under the rule that it was charged by; 0 when that isn't known.
    public let interval: Int64

    public init(key: LimitKey, fullAt: WallTime, interval: Int64) {
        self.key = key
        self.fullAt = fullAt
        self.interval = interval
    }
}
