import Base
import MatrixAdapter
import SQLite

/// The chat of two where each person was met last, by Matrix account: the last so many over all accounts, and none longer than
/// other stored ids. An account keeps fewer, and says which it gives up.
struct DirectChats: Sendable {
    static let capacity = 5000
    /// One that is used is written again after this, so that it isn't taken for an old one.
    private static let freshness = Duration.days(1)

    static let table: StaticString = """
        CREATE TABLE matrix_direct (
            number INTEGER PRIMARY KEY, account TEXT NOT NULL, person TEXT NOT NULL, room TEXT NOT NULL,
            UNIQUE (account, person))
        """
    /// Those of before count as used when anything was answered last.
    static let times: [StaticString] = [
        "ALTER TABLE matrix_direct ADD COLUMN at INTEGER NOT NULL DEFAULT 0",
        "UPDATE matrix_direct SET at = (SELECT coalesce(max(at), 0) FROM answered)",
    ]
    static let insert: StaticString =
        "INSERT OR REPLACE INTO matrix_direct (account, person, room, at) VALUES (?, ?, ?, ?)"
    static let delete: StaticString = "DELETE FROM matrix_direct WHERE account = ? AND person = ?"
    static let trim: StaticString =
        "DELETE FROM matrix_direct WHERE number <= (SELECT max(number) FROM matrix_direct) - ?"
    static let old: StaticString = "DELETE FROM matrix_direct WHERE at < ?"

    private struct Chat {
        let room: String
        let at: WallTime
    }

    private var chats: [String: [String: Chat]] = [:]

    func all(of account: String) -> [String: String] { chats[account]?.mapValues(\.room) ?? [:] }

    /// False when it is known, and fresh enough.
    mutating func set(_ room: String, with user: String, of account: String, at time: WallTime) -> Bool {
        if let known = chats[account]?[user], known.room == room, time < known.at.advanced(by: Self.freshness) {
            return false
        }
        chats[account, default: [:]][user] = Chat(room: room, at: time)
        return true
    }

    mutating func forget(_ user: String, of account: String) {
        chats[account]?[user] = nil
    }

    mutating func forget(before time: WallTime) {
        for account in chats.keys { chats[account] = chats[account]?.filter { $0.value.at >= time } }
    }

    /// Rows that are older than `oldest` are passed over, and true is returned if there were any.
    mutating func load(from database: Database, since oldest: WallTime) throws(SQLiteError) -> Bool {
        var sawOldRows = false
        let rows = try database.prepare("SELECT account, person, room, at FROM matrix_direct ORDER BY number")
        while try rows.next() {
            let time = WallTime(milliseconds: rows.integer(3))
            guard time >= oldest else {
                sawOldRows = true
                continue
            }
            _ = set(rows.text(2), with: rows.text(1), of: rows.text(0), at: time)
        }
        return sawOldRows
    }
}

extension StateStore {
    public func directChats(of account: String) -> [String: String] {
        memory.directChats.all(of: account)
    }

    public func save(directChat room: String?, with user: String, of account: String) {
        let now = clock.wall
        if let room {
            guard memory.directChats.set(room, with: user, of: account, at: now) else { return }
        } else {
            memory.directChats.forget(user, of: account)
        }
        append(.matrix(.directChat(room, with: user, account: account, now)))
    }
}
