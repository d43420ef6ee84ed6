import MatrixCrypto
import SQLite

/// One account's keys in SQLite. Reads go to the file too: an encrypted room costs a handful of them for each message.
final class KeyDatabase: CryptoStore {
    /// Writes of sessions between two looks at the bounds.
    private static let writesBetweenLooks = 500

    private enum State {
        case open(KeyTables)
        /// Found broken while in use: why nothing works any more.
        case broken(String)
        case closed
    }

    private var state: State
    private let now: () -> Int64
    private let setAside: () -> String?
    private var writes = 0

    /// `now` is milliseconds since 1970; `setAside` moves a broken file out of the way and tells its new name.
    init(
        _ database: Database, bounds: SessionRows.Bounds = SessionRows.Bounds(), now: @escaping () -> Int64,
        setAside: @escaping () -> String?
    ) throws(SQLiteError) {
        let tables = try KeyTables(database, bounds: bounds)
        state = .open(tables)
        self.now = now
        self.setAside = setAside
    }

    func account() throws(CryptoError) -> StoredAccount? {
        try read { (tables) throws(SQLiteError) in try tables.account() }
    }

    func write(_ changes: CryptoChanges) throws(CryptoError) {
        guard !changes.isEmpty else { return }
        let time = now()
        let isOfSessions =
            !changes.inboundGroupSessions.isEmpty || !changes.seenIndices.isEmpty || !changes.olmSessions.isEmpty
        let isTimeToLook = isOfSessions && writes % Self.writesBetweenLooks == 0
        try read { (tables) throws(SQLiteError) in
            try tables.database.transaction { () throws(SQLiteError) in
                try tables.write(changes, at: time)
                if isTimeToLook { try tables.sessions.trim(at: time) }
            }
        }
        if isOfSessions { writes += 1 }
    }

    /// Everything written lies in the one file now, and nothing works any more.
    func settle() throws(CryptoError) {
        try read { (tables) throws(SQLiteError) in try tables.database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        state = .closed
    }

    /// What belongs to the account, as it is stored.
    func identity() throws(CryptoError) -> [String: [UInt8]?] {
        try read { (tables) throws(SQLiteError) in
            let row = try tables.database.prepare(KeySchema.identity)
            var values: [String: [UInt8]?] = [:]
            while try row.next() { values[row.text(0)] = row.bytes(1) }
            return values
        }
    }

    /// Everything that belongs to one device goes, and is overwritten on disk.
    func forgetDevice(keepingIdentity: Bool) throws(CryptoError) {
        try read { (tables) throws(SQLiteError) in
            try tables.database.transaction { () throws(SQLiteError) in
                try tables.database.execute(KeySchema.forgetDevice)
                if !keepingIdentity { try tables.database.execute(KeySchema.forgetIdentity) }
            }
            // What was deleted may stand in the log still.
            try tables.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    func olmSessions(with identityKey: String) throws(CryptoError) -> [StoredOlmSession] {
        try read { (tables) throws(SQLiteError) in try tables.sessions.olmSessions(with: identityKey) }
    }

    func inboundGroupSession(_ name: GroupSessionName) throws(CryptoError) -> StoredInboundGroupSession? {
        try read { (tables) throws(SQLiteError) in try tables.sessions.inbound(name) }
    }

    func inboundGroupSessions(of sender: String, beyond count: Int) throws(CryptoError) -> [GroupSessionName] {
        try read { (tables) throws(SQLiteError) in try tables.sessions.inbound(of: sender, beyond: count) }
    }

    func outboundGroupSession(in room: String) throws(CryptoError) -> StoredOutboundGroupSession? {
        try read { (tables) throws(SQLiteError) in try tables.outbound.session(in: room) }
    }

    func recipients(of session: String) throws(CryptoError) -> [SessionRecipient] {
        try read { (tables) throws(SQLiteError) in try tables.outbound.recipients(of: session) }
    }

    func highestIndex(of session: GroupSessionName) throws(CryptoError) -> UInt32? {
        try read { (tables) throws(SQLiteError) in try tables.sessions.highestIndex(of: session) }
    }

    func event(at index: UInt32, of session: GroupSessionName) throws(CryptoError) -> String? {
        try read { (tables) throws(SQLiteError) in try tables.sessions.event(at: index, of: session) }
    }

    func user(_ id: String) throws(CryptoError) -> StoredUser? {
        try read { (tables) throws(SQLiteError) in try tables.users.user(id) }
    }

    func trackedUsers() throws(CryptoError) -> [StoredUser] {
        try read { (tables) throws(SQLiteError) in try tables.users.all() }
    }

    func encryptedRooms() throws(CryptoError) -> [String: RoomEncryption] {
        try read { (tables) throws(SQLiteError) in
            let row = tables.findRooms
            var rooms: [String: RoomEncryption] = [:]
            while try row.next() {
                rooms[row.text(0)] = RoomEncryption(
                    rotationMessages: Int(row.integer(1)), rotationPeriod: row.integer(2))
            }
            return rooms
        }
    }

    func value(of name: String) throws(CryptoError) -> [UInt8]? {
        try read { (tables) throws(SQLiteError) in
            try tables.findValue.bind(name)
            var found: [UInt8]?
            while try tables.findValue.next() { found = tables.findValue.bytes(0) }
            return found
        }
    }

    private func read<T>(_ body: (KeyTables) throws(SQLiteError) -> T) throws(CryptoError) -> T {
        switch state {
        case .broken(let reason): throw .storeLost(reason)
        case .closed: throw .store("the store is closed")
        case .open(let tables):
            do throws(SQLiteError) {
                return try body(tables)
            } catch {
                guard error.kind == .broken else { throw .store(error.description) }
                let name = setAside() ?? "-"
                let reason = "\(error.description); it is set aside as \(name), the next start makes a new one"
                state = .broken(reason)
                throw .storeLost(reason)
            }
        }
    }
}
