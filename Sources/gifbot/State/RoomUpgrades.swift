import MatrixAdapter
import SQLite

/// Which Matrix rooms went on as others, the last so many of them over all accounts.
struct RoomUpgrades: Sendable {
    static let capacity = 5000

    static let table: StaticString = """
        CREATE TABLE upgrades (
            number INTEGER PRIMARY KEY, account TEXT NOT NULL, room TEXT NOT NULL, replacement TEXT NOT NULL)
        """
    static let insert: StaticString = "INSERT INTO upgrades (account, room, replacement) VALUES (?, ?, ?)"
    static let trim: StaticString = "DELETE FROM upgrades WHERE number <= (SELECT max(number) FROM upgrades) - ?"

    private var known: [(account: String, upgrade: RoomUpgrade)] = []

    func all(of account: String) -> [RoomUpgrade] {
        known.filter { $0.account == account }.map(\.upgrade)
    }

    /// False when it was known already.
    mutating func record(_ upgrade: RoomUpgrade, of account: String) -> Bool {
        guard !known.contains(where: { $0.account == account && $0.upgrade == upgrade }) else { return false }
        if known.count >= Self.capacity { known.removeFirst() }
        known.append((account, upgrade))
        return true
    }

    mutating func load(from database: Database) throws(SQLiteError) {
        let rows = try database.prepare("SELECT account, room, replacement FROM upgrades ORDER BY number")
        while try rows.next() {
            _ = record(RoomUpgrade(from: rows.text(1), to: rows.text(2)), of: rows.text(0))
        }
    }
}
