import Base
import Bot
import Chat
import GiphySearch
import IRCAdapter
import MatrixAdapter
import RateLimiter
import SQLite

/// The statements that write changes. One thread at a time, as the database under it.
final class StateDatabase {
    private let database: Database
    private let shown: Statement
    private let forgottenID: Statement
    private let forgottenAll: Statement
    private let answered: Statement
    private let trimmedAnswered: Statement
    private let upgraded: Statement
    private let trimmedUpgrades: Statement
    private let called: Statement
    private let returned: Statement
    private let forgottenCalls: Statement
    private let admin: AdminStatements
    private let oldShown: Statement
    private let oldAnswered: Statement
    private let oldBuckets: Statement
    private let position: Statement
    private let noPosition: Statement
    private let noBucket: Statement
    private let bucket: Statement
    private let policies: STSTable
    private let matrix: MatrixStatements
    private let collections: CollectionRows

    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        shown = try database.prepare(
            "INSERT OR REPLACE INTO shown (network, conversation, direct, id, at) VALUES (?, ?, ?, ?, ?)")
        forgottenID = try database.prepare(
            "DELETE FROM shown WHERE network = ? AND conversation = ? AND direct = ? AND id = ?")
        forgottenAll = try database.prepare("DELETE FROM shown WHERE network = ? AND conversation = ? AND direct = ?")
        answered = try database.prepare("INSERT INTO answered (network, id, at) VALUES (?, ?, ?)")
        trimmedAnswered = try database.prepare(
            "DELETE FROM answered WHERE number <= (SELECT max(number) FROM answered) - ?")
        upgraded = try database.prepare(RoomUpgrades.insert)
        trimmedUpgrades = try database.prepare(RoomUpgrades.trim)
        called = try database.prepare("INSERT INTO calls (account, at, share) VALUES (?, ?, ?)")
        returned = try database.prepare(
            """
            DELETE FROM calls WHERE number =
                (SELECT number FROM calls WHERE account = ? AND at = ? AND share = ? LIMIT 1)
            """)
        forgottenCalls = try database.prepare("DELETE FROM calls WHERE account = ? AND at < ?")
        admin = try AdminStatements(database)
        oldShown = try database.prepare("DELETE FROM shown WHERE at < ?")
        oldAnswered = try database.prepare("DELETE FROM answered WHERE at < ?")
        oldBuckets = try database.prepare("DELETE FROM buckets WHERE saved_at < ? OR full_at < ?")
        position = try database.prepare("INSERT OR REPLACE INTO positions (account, position) VALUES (?, ?)")
        noPosition = try database.prepare("DELETE FROM positions WHERE account = ?")
        noBucket = try database.prepare("DELETE FROM buckets WHERE key = ?")
        policies = try STSTable(database)
        matrix = try MatrixStatements(database)
        bucket = try database.prepare(
            "INSERT OR REPLACE INTO buckets (key, full_at, saved_at, interval) VALUES (?, ?, ?, ?)")
        collections = CollectionRows(database)
    }

    /// All of it in one transaction, or nothing.
    func write(_ changes: StateChanges) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            for row in changes.rows { try write(row) }
            try trimmedAnswered.run(Int64(AnsweredIDs.capacity))
            for (account, position) in changes.positions { try write(position: position, of: account) }
            for (host, policy) in changes.stsPolicies { try policies.write(policy, of: host) }
            for (key, bucket) in changes.buckets { try write(bucket, of: key.text, at: changes.at) }
        }
    }

    private func write(_ row: StateChange) throws(SQLiteError) {
        switch row {
        case .shown(let id, let place, let time):
            try shown.run(place.network, place.name, place.direct, id, time.milliseconds)
        case .forgotten(.id(let id, let place)):
            try forgottenID.run(place.network, place.name, place.direct, id)
        case .forgotten(.all(let place)):
            try forgottenAll.run(place.network, place.name, place.direct)
        case .answered(let id, let network, let time): try answered.run(network, id, time.milliseconds)
        case .upgraded(let upgrade, let account):
            try upgraded.run(account, upgrade.from, upgrade.to)
            try trimmedUpgrades.run(Int64(RoomUpgrades.capacity))
        case .called(let account, let call): try called.run(account, call.at.milliseconds, call.share)
        case .returned(let account, let call): try returned.run(account, call.at.milliseconds, call.share)
        case .forgottenCalls(let account, let time): try forgottenCalls.run(account, time.milliseconds)
        case .administered(let event): try admin.write(event)
        case .matrix(let change): try matrix.write(change)
        case .saved, .unsaved: try collections.write(row)
        case .old(let time):
            try oldShown.run(time.milliseconds)
            try oldAnswered.run(time.milliseconds)
            try matrix.forget(before: time)
            try oldBuckets.run(time.milliseconds, time.advanced(by: Retention.span).milliseconds)
        }
    }

    private func write(position text: String?, of account: String) throws(SQLiteError) {
        guard let text else { return try noPosition.run(account) }
        try position.run(account, text)
    }

    private func write(_ bucket: SavedBucket?, of key: String, at now: WallTime) throws(SQLiteError) {
        guard let bucket else { return try noBucket.run(key) }
        try self.bucket.run(key, bucket.fullAt.milliseconds, now.milliseconds, bucket.interval)
    }
}

extension Conversation {
    var direct: Int64 { isDirect ? 1 : 0 }
}
