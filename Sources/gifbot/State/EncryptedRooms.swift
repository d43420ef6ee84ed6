import MatrixAdapter
import SQLite

/// Matrix rooms that were ever seen to be encrypted, by account: never taken back, whatever becomes of keys and devices, so that
/// nothing is ever said there in clear. Rooms don't go by themselves: an account is in 10,000 at most.
struct EncryptedRooms: Sendable {
    static let table: StaticString = """
        CREATE TABLE encrypted_rooms (account TEXT NOT NULL, room TEXT NOT NULL, PRIMARY KEY (account, room))
            WITHOUT ROWID
        """
    static let insert: StaticString = "INSERT OR IGNORE INTO encrypted_rooms (account, room) VALUES (?, ?)"

    private var known: [String: Set<String>] = [:]

    func all(of account: String) -> Set<String> { known[account] ?? [] }

    /// False when it was known already.
    mutating func record(_ room: String, of account: String) -> Bool {
        known[account, default: []].insert(room).inserted
    }

    mutating func load(from database: Database) throws(SQLiteError) {
        let rows = try database.prepare("SELECT account, room FROM encrypted_rooms")
        while try rows.next() { _ = record(rows.text(1), of: rows.text(0)) }
    }
}

extension StateStore {
    public func encryptedRooms(of account: String) -> Set<String> {
        memory.encryptedRooms.all(of: account)
    }

    public func save(encryptedRoom room: String, of account: String) {
        guard memory.encryptedRooms.record(room, of: account) else { return }
        append(.matrix(.encrypted(room: room, account: account)))
    }
}
