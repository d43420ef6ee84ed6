import SQLite

/// The tables, and how an older file becomes a newer one. `PRAGMA user_version` counts the steps taken.
enum Schema {
    /// One step each, of a statement for each part of the state, run in order; a published one is never changed.
    private static let steps: [[StaticString]] = [
        [
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
        ],
        [
            "ALTER TABLE buckets ADD COLUMN interval INTEGER NOT NULL DEFAULT 0",
            """
            CREATE TABLE sts (
                host TEXT PRIMARY KEY, port INTEGER NOT NULL, duration INTEGER NOT NULL, expires INTEGER NOT NULL)
                WITHOUT ROWID
            """,
            """
            CREATE TABLE admin_changes (
                number INTEGER PRIMARY KEY, network TEXT NOT NULL, channel TEXT NOT NULL, setting TEXT NOT NULL,
                by_admin INTEGER NOT NULL, who TEXT NOT NULL, at INTEGER NOT NULL);
            CREATE TABLE audit (
                number INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, place TEXT NOT NULL, what TEXT NOT NULL);
            CREATE TABLE ignored (person TEXT PRIMARY KEY) WITHOUT ROWID
            """,
            RoomUpgrades.table,
            MatrixRecords.tables,
            "ALTER TABLE calls ADD COLUMN share TEXT NOT NULL DEFAULT ''",
            """
            CREATE TABLE saved (
                number INTEGER PRIMARY KEY, network TEXT NOT NULL, conversation TEXT NOT NULL, direct INTEGER NOT NULL,
                name TEXT NOT NULL, source TEXT NOT NULL, id TEXT NOT NULL, person TEXT NOT NULL, at INTEGER NOT NULL,
                title TEXT, rating TEXT, page_url TEXT, author TEXT, credit TEXT, alt_text TEXT,
                UNIQUE (network, conversation, direct, name));
            CREATE TABLE saved_files (
                network TEXT NOT NULL, conversation TEXT NOT NULL, direct INTEGER NOT NULL, name TEXT NOT NULL,
                place INTEGER NOT NULL, url TEXT NOT NULL, width INTEGER, height INTEGER, bytes INTEGER,
                media_type TEXT, path TEXT, PRIMARY KEY (network, conversation, direct, name, place)) WITHOUT ROWID
            """,
            "PRAGMA user_version = 2",
        ],
        [
            MatrixRecords.commandRoom,
            DirectChats.table,
            "PRAGMA user_version = 3",
        ],
        [
            EncryptedRooms.table,
            "PRAGMA user_version = 4",
        ],
        DirectChats.times + ["PRAGMA user_version = 5"],
    ]

    static var version: Int { steps.count }

    enum Outcome: Equatable {
        case ready
        case newer(Int)
        /// Somebody else's database.
        case foreign
    }

    /// Brings the file to this program's version, in one transaction.
    ///
    /// With the write-ahead log a commit is one write that doesn't wait for the disk (NORMAL): a killed process loses
    /// nothing that was committed, a power cut perhaps the last seconds, and neither leaves a broken file. A new file
    /// is made without waiting for the disk at all: should the power fail just then, nothing is lost with it.
    static func migrate(_ database: Database) throws(SQLiteError) -> Outcome {
        try database.execute("PRAGMA cache_size=-256; PRAGMA trusted_schema=OFF; PRAGMA secure_delete=ON")
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        if found > version { return .newer(found) }
        let tables = found == 0 ? try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 : 1
        guard found > 0 || found == 0 && tables == 0 else { return .foreign }
        if found == 0 { try database.execute("PRAGMA synchronous=OFF") }
        try database.execute("PRAGMA journal_mode=WAL")
        if found < version {
            try database.transaction { () throws(SQLiteError) in
                for statement in steps[found...].joined() { try database.execute(statement) }
            }
        }
        try database.execute("PRAGMA synchronous=NORMAL")
        return .ready
    }
}
