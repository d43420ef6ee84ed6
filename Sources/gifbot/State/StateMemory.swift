import Base
import Bot
import Chat
import GiphySearch
import IRCAdapter
import MatrixAdapter
import RateLimiter
import SQLite

/// Everything the bot reads, bounded; the database is only its shadow.
struct StateMemory: Sendable {
    var shown = ShownIDs()
    var answered = AnsweredIDs()
    var calls = SpentCalls()
    var upgrades = RoomUpgrades()
    var positions: [String: String] = [:]
    /// Until the limiter has taken them up.
    var buckets: [SavedBucket] = []
    /// Until the bot has taken it up.
    var admin = AdminRecord()
    var sessions: [String: StoredSession] = [:]
    var stsPolicies: [String: STSPolicy] = [:]
    var demandedPorts = DemandedPorts()
    var matrix = MatrixRecords()
    var directChats = DirectChats()
    var encryptedRooms = EncryptedRooms()
    var collections = Collections()
    /// Rows older than is kept were met in the file, so it's time to delete some.
    var sawOldRows = false
}

extension StateMemory {
    mutating func load(from database: Database, now: WallTime) throws(SQLiteError) {
        let oldest = now.advanced(by: .zero - Retention.span)
        try loadShown(from: database, since: oldest)
        try loadAnswered(from: database, since: oldest)
        try loadCalls(from: database)
        try upgrades.load(from: database)
        try loadBuckets(from: database, since: oldest, now: now)
        try loadPolicies(from: database, now: now)
        if try matrix.load(from: database, since: oldest) { sawOldRows = true }
        if try directChats.load(from: database, since: oldest) { sawOldRows = true }
        try encryptedRooms.load(from: database)
        try admin.load(from: database)
        try CollectionRows.load(from: database, into: &collections)
        let rows = try database.prepare("SELECT account, position FROM positions")
        while try rows.next() { positions[rows.text(0)] = rows.text(1) }
    }

    private mutating func loadShown(from database: Database, since oldest: WallTime) throws(SQLiteError) {
        let rows = try database.prepare("SELECT network, conversation, direct, id, at FROM shown ORDER BY number")
        while try rows.next() {
            guard let time = time(rows.integer(4), since: oldest) else { continue }
            let conversation = Conversation(network: rows.text(0), name: rows.text(1), isDirect: rows.integer(2) != 0)
            _ = shown.record(rows.text(3), in: conversation, at: time)
        }
    }

    private mutating func loadAnswered(from database: Database, since oldest: WallTime) throws(SQLiteError) {
        let rows = try database.prepare(
            """
            SELECT network, id, at FROM answered
            WHERE number > (SELECT coalesce(max(number), 0) FROM answered) - ? ORDER BY number
            """)
        try rows.bind(1, Int64(AnsweredIDs.capacity))
        while try rows.next() {
            guard let time = time(rows.integer(2), since: oldest) else { continue }
            _ = answered.record(rows.text(1), in: rows.text(0), at: time)
        }
    }

    private mutating func loadCalls(from database: Database) throws(SQLiteError) {
        let rows = try database.prepare("SELECT account, at, share FROM calls ORDER BY account, at")
        while try rows.next() {
            let call = SpentCall(at: WallTime(milliseconds: rows.integer(1)), share: rows.text(2))
            calls.record(rows.text(0), call)
        }
    }

    private mutating func loadBuckets(
        from database: Database, since oldest: WallTime, now: WallTime
    ) throws(SQLiteError) {
        let rows = try database.prepare("SELECT key, full_at, saved_at, interval FROM buckets ORDER BY full_at DESC")
        while try rows.next() {
            let fullAt = WallTime(milliseconds: rows.integer(1))
            guard fullAt > now, buckets.count < StateChanges.mostBuckets,
                time(rows.integer(2), since: oldest) != nil, let key = LimitKey(text: rows.text(0))
            else {
                sawOldRows = true
                continue
            }
            buckets.append(SavedBucket(key: key, fullAt: fullAt, interval: rows.integer(3)))
        }
    }

    private mutating func time(_ milliseconds: Int64, since oldest: WallTime) -> WallTime? {
        let time = WallTime(milliseconds: milliseconds)
        if time >= oldest { return time }
        sawOldRows = true
        return nil
    }
}
