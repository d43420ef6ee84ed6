import MatrixCrypto
import SQLite

/// Olm sessions, the Megolm sessions of others, and which of their messages were read.
///
/// Bounds over all, looked at now and then: `CryptoLimits.olmSessions`, 20,000 Megolm sessions, 200,000 messages read; what was
/// used the longest ago goes first. A Megolm session that was unused for 90 days goes too: keys of old messages are worth
/// something to thieves alone. It and the notes of its messages go together: while it can be read, no repetition goes unnoticed.
struct SessionRows {
    struct Bounds {
        var olm = Int64(CryptoLimits.olmSessions)
        var inbound: Int64 = 20_000
        var seen: Int64 = 200_000
        /// Milliseconds.
        var unused: Int64 = 90 * 86_400_000
    }

    private let findOlm: Statement
    private let setOlm: Statement
    private let removeOlm: Statement
    private let findInbound: Statement
    private let setInbound: Statement
    private let findSurplus: Statement
    private let removeInbound: Statement
    private let removeSeen: Statement
    private let highest: Statement
    private let removeBelow: Statement
    private let findSeen: Statement
    private let addSeen: Statement
    private let touch: Statement
    private let trim: [(statement: Statement, bound: Int64)]
    private let trimOld: Statement
    private let inboundCount: Statement
    private let seenCount: Statement
    private let trimEighth: Statement
    private let trimSeen: Statement
    private let bounds: Bounds

    init(_ database: Database, bounds: Bounds) throws(SQLiteError) {
        self.bounds = bounds
        findOlm = try database.prepare(
            "SELECT id, pickle, made, used FROM olm WHERE identity_key = ? ORDER BY used DESC, made DESC, id")
        setOlm = try database.prepare(
            "INSERT OR REPLACE INTO olm (id, identity_key, pickle, made, used) VALUES (?, ?, ?, ?, ?)")
        removeOlm = try database.prepare("DELETE FROM olm WHERE id = ?")
        findInbound = try database.prepare(
            """
            SELECT identity_key, signing_key, pickle, first_index, received, trusted FROM inbound
            WHERE room = ? AND id = ? AND sender = ?
            """)
        findSurplus = try database.prepare(
            "SELECT room, id FROM inbound WHERE sender = ? ORDER BY received DESC, id LIMIT -1 OFFSET ?")
        removeInbound = try database.prepare("DELETE FROM inbound WHERE room = ? AND id = ? AND sender = ?")
        removeSeen = try database.prepare("DELETE FROM seen WHERE room = ? AND session = ? AND sender = ?")
        highest = try database.prepare("SELECT max(place) FROM seen WHERE room = ? AND session = ? AND sender = ?")
        removeBelow = try database.prepare(
            "DELETE FROM seen WHERE room = ? AND session = ? AND sender = ? AND place <= ?")
        setInbound = try database.prepare(
            """
            INSERT OR REPLACE INTO inbound
                (room, id, sender, identity_key, signing_key, pickle, first_index, received, trusted, used)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        findSeen = try database.prepare(
            "SELECT event FROM seen WHERE room = ? AND session = ? AND sender = ? AND place = ?")
        addSeen = try database.prepare(
            "INSERT OR IGNORE INTO seen (room, session, sender, place, event) VALUES (?, ?, ?, ?, ?)")
        touch = try database.prepare("UPDATE inbound SET used = ? WHERE room = ? AND id = ? AND sender = ?")
        trim = [
            (
                try database.prepare(
                    "DELETE FROM olm WHERE id IN (SELECT id FROM olm ORDER BY used DESC LIMIT -1 OFFSET ?)"), bounds.olm
            ),
            (
                try database.prepare(
                    """
                    DELETE FROM inbound WHERE (room, id, sender) IN
                        (SELECT room, id, sender FROM inbound ORDER BY used DESC LIMIT -1 OFFSET ?)
                    """), bounds.inbound
            ),
        ]
        trimOld = try database.prepare("DELETE FROM inbound WHERE used < ?")
        inboundCount = try database.prepare("SELECT count(*) FROM inbound")
        seenCount = try database.prepare("SELECT count(*) FROM seen")
        trimEighth = try database.prepare(
            """
            DELETE FROM inbound WHERE (room, id, sender) IN
                (SELECT room, id, sender FROM inbound ORDER BY used LIMIT (SELECT count(*) / 8 + 1 FROM inbound))
            """)
        trimSeen = try database.prepare(
            """
            DELETE FROM seen WHERE NOT EXISTS
                (SELECT 1 FROM inbound WHERE inbound.room = seen.room AND inbound.id = seen.session AND inbound.sender = seen.sender)
            """)
    }

    func olmSessions(with identityKey: String) throws(SQLiteError) -> [StoredOlmSession] {
        try findOlm.bind(identityKey)
        var found: [StoredOlmSession] = []
        while try findOlm.next() {
            found.append(
                StoredOlmSession(
                    id: findOlm.text(0), identityKey: identityKey, pickle: findOlm.bytes(1), made: findOlm.integer(2),
                    used: findOlm.integer(3)))
        }
        return found
    }

    func inbound(_ name: GroupSessionName) throws(SQLiteError) -> StoredInboundGroupSession? {
        let row = findInbound
        try row.bind(name.room, name.session, name.sender)
        var found: StoredInboundGroupSession?
        while try row.next() {
            found = StoredInboundGroupSession(
                name: name, identityKey: row.text(0), signingKey: row.text(1), pickle: row.bytes(2),
                firstIndex: UInt32(clamping: row.integer(3)), received: row.integer(4), isTrusted: row.integer(5) != 0)
        }
        return found
    }

    func inbound(of sender: String, beyond count: Int) throws(SQLiteError) -> [GroupSessionName] {
        try findSurplus.bind(sender, Int64(count))
        var found: [GroupSessionName] = []
        while try findSurplus.next() {
            found.append(GroupSessionName(room: findSurplus.text(0), session: findSurplus.text(1), sender: sender))
        }
        return found
    }

    func event(at index: UInt32, of name: GroupSessionName) throws(SQLiteError) -> String? {
        try findSeen.bind(name.room, name.session, name.sender, Int64(index))
        var found: String?
        while try findSeen.next() { found = findSeen.text(0) }
        return found
    }

    func highestIndex(of name: GroupSessionName) throws(SQLiteError) -> UInt32? {
        try highest.bind(name.room, name.session, name.sender)
        var found: UInt32?
        while try highest.next() { found = highest.isNull(0) ? nil : UInt32(clamping: highest.integer(0)) }
        return found
    }

    func write(_ changes: CryptoChanges, at now: Int64) throws(SQLiteError) {
        for id in changes.removedOlmSessions { try removeOlm.run(id) }
        for session in changes.olmSessions.values {
            try setOlm.run(session.id, session.identityKey, session.pickle, session.made, session.used)
        }
        for name in changes.removedInboundGroupSessions {
            try removeInbound.run(name.room, name.session, name.sender)
            try removeSeen.run(name.room, name.session, name.sender)
        }
        for (name, session) in changes.inboundGroupSessions {
            try setInbound.run(
                name.room, name.session, name.sender, session.identityKey, session.signingKey, session.pickle,
                Int64(session.firstIndex), session.received, Int64(session.isTrusted ? 1 : 0), now)
        }
        for seen in changes.seenIndices { try write(seen, at: now) }
    }

    private func write(_ seen: SeenIndex, at now: Int64) throws(SQLiteError) {
        let name = seen.session
        let index = Int64(seen.index)
        try addSeen.run(name.room, name.session, name.sender, index, seen.event)
        try touch.run(now, name.room, name.session, name.sender)
        let window = Int64(CryptoLimits.replayWindow)
        if index >= window { try removeBelow.run(name.room, name.session, name.sender, index - window) }
    }

    func trim(at now: Int64) throws(SQLiteError) {
        let before = try count(inboundCount)
        for (statement, bound) in trim { try statement.run(bound) }
        try trimOld.run(now - bounds.unused)
        // Goes through all of them, so only when sessions went.
        if try count(inboundCount) < before { try trimSeen.run() }
        // Each round takes an eighth of the sessions, so it ends.
        while try count(seenCount) > bounds.seen {
            try trimEighth.run()
            try trimSeen.run()
        }
    }

    private func count(_ statement: Statement) throws(SQLiteError) -> Int64 {
        var count: Int64 = 0
        while try statement.next() { count = statement.integer(0) }
        return count
    }
}
