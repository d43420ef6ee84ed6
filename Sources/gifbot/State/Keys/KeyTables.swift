import MatrixCrypto
import SQLite

/// The statements of one account's keys.
struct KeyTables {
    let database: Database
    let sessions: SessionRows
    let outbound: OutboundRows
    let users: UserRows
    let findAccount: Statement
    let setAccount: Statement
    let findRooms: Statement
    let setRoom: Statement
    let findValue: Statement
    let setValue: Statement
    let removeValue: Statement

    init(_ database: Database, bounds: SessionRows.Bounds) throws(SQLiteError) {
        self.database = database
        sessions = try SessionRows(database, bounds: bounds)
        outbound = try OutboundRows(database)
        users = try UserRows(database)
        findAccount = try database.prepare(Self.accountRow)
        setAccount = try database.prepare(
            "INSERT OR REPLACE INTO account (number, user, device, pickle, uploaded) VALUES (1, ?, ?, ?, ?)")
        findRooms = try database.prepare("SELECT id, messages, period FROM rooms")
        // Nothing removes a row: a room once encrypted is never written to in clear. They are as many as rooms were entered.
        setRoom = try database.prepare("INSERT OR REPLACE INTO rooms (id, messages, period) VALUES (?, ?, ?)")
        findValue = try database.prepare("SELECT value FROM kept WHERE name = ?")
        setValue = try database.prepare("INSERT OR REPLACE INTO kept (name, value) VALUES (?, ?)")
        removeValue = try database.prepare("DELETE FROM kept WHERE name = ?")
    }

    private static let accountRow: StaticString = "SELECT user, device, pickle, uploaded FROM account"

    func account() throws(SQLiteError) -> StoredAccount? { try Self.account(findAccount) }

    /// Of a file that is only looked into.
    static func account(in database: Database) throws(SQLiteError) -> StoredAccount? {
        try account(try database.prepare(accountRow))
    }

    private static func account(_ row: Statement) throws(SQLiteError) -> StoredAccount? {
        var found: StoredAccount?
        while try row.next() {
            found = StoredAccount(
                userID: row.text(0), deviceID: row.text(1), pickle: row.bytes(2), isUploaded: row.integer(3) != 0)
        }
        return found
    }

    func write(_ changes: CryptoChanges, at now: Int64) throws(SQLiteError) {
        if let account = changes.account {
            try setAccount.run(account.userID, account.deviceID, account.pickle, Int64(account.isUploaded ? 1 : 0))
        }
        try sessions.write(changes, at: now)
        try outbound.write(changes.outboundGroupSessions, recipients: changes.recipients)
        try users.write(changes.users)
        for (room, settings) in changes.encryptedRooms {
            try setRoom.run(room, Int64(settings.rotationMessages), settings.rotationPeriod)
        }
        for (name, value) in changes.values {
            if let value { try setValue.run(name, value) } else { try removeValue.run(name) }
        }
    }
}
