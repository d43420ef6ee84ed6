import SQLite

/// The tables of one account's keys. `PRAGMA user_version` counts the steps taken; a published step is never changed.
enum KeySchema {
    private static let steps: [StaticString] = [
        """
        CREATE TABLE account (
            number INTEGER PRIMARY KEY CHECK (number = 1), user TEXT NOT NULL, device TEXT NOT NULL, pickle BLOB NOT NULL,
            uploaded INTEGER NOT NULL);
        CREATE TABLE olm (
            id TEXT PRIMARY KEY, identity_key TEXT NOT NULL, pickle BLOB NOT NULL, made INTEGER NOT NULL,
            used INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX olm_by_device ON olm (identity_key, used);
        CREATE INDEX olm_by_use ON olm (used);
        CREATE TABLE inbound (
            room TEXT NOT NULL, id TEXT NOT NULL, sender TEXT NOT NULL, identity_key TEXT NOT NULL,
            signing_key TEXT NOT NULL, pickle BLOB NOT NULL, first_index INTEGER NOT NULL, received INTEGER NOT NULL,
            trusted INTEGER NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (room, id, sender)) WITHOUT ROWID;
        CREATE INDEX inbound_by_use ON inbound (used);
        CREATE INDEX inbound_by_sender ON inbound (sender, received);
        CREATE TABLE seen (
            room TEXT NOT NULL, session TEXT NOT NULL, sender TEXT NOT NULL, place INTEGER NOT NULL,
            event TEXT NOT NULL, PRIMARY KEY (room, session, sender, place)) WITHOUT ROWID;
        CREATE TABLE outbound (
            room TEXT PRIMARY KEY, id TEXT NOT NULL, pickle BLOB NOT NULL, made INTEGER NOT NULL, messages INTEGER NOT NULL,
            visibility TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE recipients (
            session TEXT NOT NULL, user TEXT NOT NULL, device TEXT NOT NULL, identity_key TEXT NOT NULL,
            withheld INTEGER NOT NULL, PRIMARY KEY (session, user, device, identity_key, withheld)) WITHOUT ROWID;
        CREATE TABLE users (
            id TEXT PRIMARY KEY, outdated INTEGER NOT NULL, master_key TEXT, self_signing_key TEXT) WITHOUT ROWID;
        CREATE TABLE devices (
            user TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, curve25519 TEXT NOT NULL, ed25519 TEXT NOT NULL,
            algorithms TEXT NOT NULL, cross_signed INTEGER NOT NULL, PRIMARY KEY (user, place)) WITHOUT ROWID;
        CREATE TABLE rooms (id TEXT PRIMARY KEY, messages INTEGER NOT NULL, period INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE kept (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        PRAGMA user_version = 1
        """
    ]

    /// `cross_signing.` and `secret_storage.` are the account's, not the device's; so are rooms.
    static let forgetDevice: StaticString = """
        DELETE FROM account; DELETE FROM olm; DELETE FROM inbound; DELETE FROM seen; DELETE FROM outbound;
        DELETE FROM recipients; DELETE FROM users; DELETE FROM devices;
        DELETE FROM kept WHERE name NOT GLOB 'cross_signing.*' AND name NOT GLOB 'secret_storage.*'
        """
    static let identity: StaticString = """
        SELECT name, value FROM kept WHERE name GLOB 'cross_signing.*' OR name GLOB 'secret_storage.*'
        """
    static let forgetIdentity: StaticString = "DELETE FROM kept"

    enum Outcome: Equatable {
        case ready
        case newer(Int)
        /// Somebody else's database.
        case foreign
    }

    /// Brings the file to this program's version, in one transaction.
    ///
    /// Each commit waits for the disk (FULL): a ratchet that went back after a power cut would use a key twice, and keys on
    /// the server whose private halves are gone can't be answered.
    static func migrate(_ database: Database) throws(SQLiteError) -> Outcome {
        try database.execute("PRAGMA cache_size=-512; PRAGMA trusted_schema=OFF; PRAGMA secure_delete=ON")
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        if found > steps.count { return .newer(found) }
        let tables = found == 0 ? try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 : 1
        guard found > 0 || found == 0 && tables == 0 else { return .foreign }
        try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
        if found < steps.count {
            try database.transaction { () throws(SQLiteError) in
                for step in steps[found...] { try database.execute(step) }
            }
        }
        return .ready
    }
}
