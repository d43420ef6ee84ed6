import MatrixAdapter
import SQLite

/// The chat of two where each person was met last, by Matrix account: the last so many over all accounts. An account keeps fewer,
/// and says which it gives up.
struct DirectChats: Sendable {
    static let capacity = 5000

    static let table: StaticString = """
        CREATE TABLE matrix_direct (
            number INTEGER PRIMARY KEY, account TEXT NOT NULL, person TEXT NOT NULL, room TEXT NOT NULL,
            UNIQUE (account, person))
        """
    static let insert: StaticString = "INSERT OR REPLACE INTO matrix_direct (account, person, room) VALUES (?, ?, ?)"
    static let delete: StaticString = "DELETE FROM matrix_direct WHERE account = ? AND person = ?"
    static let trim: StaticString =
        "DELETE FROM matrix_direct WHERE number <= (SELECT max(number) FROM matrix_direct) - ?"

    private var rooms: [String: [String: String]] = [:]

    func all(of account: String) -> [String: String] { rooms[account] ?? [:] }

    mutating func set(_ room: String?, with user: String, of account: String) {
        rooms[account, default: [:]][user] = room
    }

    mutating func load(from database: Database) throws(SQLiteError) {
        let rows = try database.prepare("SELECT account, person, room FROM matrix_direct ORDER BY number")
        while try rows.next() { set(rows.text(2), with: rows.text(1), of: rows.text(0)) }
    }
}

extension StateStore {
    public func directChats(of account: String) -> [String: String] {
        memory.directChats.all(of: account)
    }

    public func save(directChat room: String?, with user: String, of account: String) {
        memory.directChats.set(room, with: user, of: account)
        append(.matrix(.directChat(room, with: user, account: account)))
    }
}
