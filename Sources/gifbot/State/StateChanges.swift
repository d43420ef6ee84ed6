import Base
import Bot
import Chat
import GiphySearch
import IRCAdapter
import MatrixAdapter
import RateLimiter

/// One row to be written, in the order in which things happened.
enum StateChange: Equatable, Sendable {
    case shown(String, Conversation, WallTime)
    case forgotten(ShownIDs.Forgotten)
    case answered(String, network: String, WallTime)
    case upgraded(RoomUpgrade, account: String)
    case called(account: String, SpentCall)
    case returned(account: String, SpentCall)
    case forgottenCalls(account: String, before: WallTime)
    case administered(AdminEvent)
    case matrix(MatrixChange)
    case saved(SavedGif, Conversation)
    case unsaved(String, Conversation)
    /// All rows that hold ids or names of before.
    case old(before: WallTime)
}

/// What is still to be written. Where only the last value counts, only that is kept.
struct StateChanges: Equatable, Sendable {
    /// Beyond it the oldest rows go unwritten: the disk has been full for long.
    static let capacity = 20_000

    /// As many buckets as the limiter's own table holds; what comes on top goes unwritten.
    static let mostBuckets = 100_000

    /// When they were handed to the writer.
    var at = WallTime(milliseconds: 0)
    private(set) var rows: [StateChange] = []
    /// Written after the rows, so that a position is never ahead of the ids answered before it.
    var positions: [String: String?] = [:]
    /// Only what changed; nil: the bucket is no more.
    private(set) var buckets: [LimitKey: SavedBucket?] = [:]
    var stsPolicies: [String: STSPolicy?] = [:]
    var sessions: [String: StoredSession?] = [:]

    var isEmpty: Bool { !touchesDatabase && sessions.isEmpty }
    var touchesDatabase: Bool {
        !rows.isEmpty || !positions.isEmpty || !buckets.isEmpty || !stsPolicies.isEmpty
    }

    mutating func append(_ row: StateChange) {
        if rows.count >= Self.capacity { rows.removeFirst(Self.capacity / 10) }
        rows.append(row)
    }

    mutating func note(_ bucket: SavedBucket?, of key: LimitKey) {
        guard buckets.count < Self.mostBuckets || buckets[key] != nil else { return }
        buckets.updateValue(bucket, forKey: key)
    }

    /// Puts back what couldn't be written; what came later wins.
    mutating func putBack(_ earlier: StateChanges) {
        rows = Array((earlier.rows + rows).suffix(Self.capacity))
        positions.merge(earlier.positions) { later, _ in later }
        // What came later is little, and what couldn't be written for long may be much.
        buckets = earlier.buckets.merging(buckets) { _, later in later }
        stsPolicies.merge(earlier.stsPolicies) { later, _ in later }
        sessions.merge(earlier.sessions) { later, _ in later }
    }

    mutating func dropDatabasePart() {
        rows = []
        positions = [:]
        buckets = [:]
        stsPolicies = [:]
    }
}
