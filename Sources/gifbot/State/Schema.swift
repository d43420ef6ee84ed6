import SQLite

/// The tables, and how an older file becomes a newer one. `PRAGMA user_version` counts the steps taken.
enum Schema {
    /// One step each, run in order; a published one is never changed.
    private static let steps: [StaticString] = [
        """
        CREATE TABLE shown (
            number INTEGER PRIMARY KEY, network TEXT NOT NULL, conversation TEXT NOT NULL, direct INTEGER NOT NULL,
            id TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE (network, conversation, direct, id));
        CREATE TABLE answered (
            number INTEGER PRIMARY KEY, network TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL);
        CREATE TABLE calls (number INTEGER PRIMARY KEY, account TEXT NOT NULL, at INTEGER NOT NULL);
        CREATE INDEX calls_by_account ON calls (account, at);
        CREATE TABLE buckets (key TEXT PRIMARY KEY, full_at INTEGER NOT NULL, saved_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE positions (account TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID;
        PRAGMA user_version = 1
        """
    ]

    static var version: Int { steps.count }

    enum Outcome: Equatable {
        case ready
        case newer(Int)
        /// Somebody else's database.
        case foreign
    }

    /// Brings the file to this program's version, in one transaction.
    static func migrate(_ database: Database) throws(SQLiteError) -> Outcome {
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        if found == version { return .ready }
        if found > version { return .newer(found) }
        let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        guard found > 0 || found == 0 && tables == 0 else { return .foreign }
        try database.transaction { () throws(SQLiteError) in
            for step in steps[found...] { try database.execute(step) }
        }
        return .ready
    }
}
