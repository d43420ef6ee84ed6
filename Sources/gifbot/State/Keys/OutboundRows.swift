import MatrixCrypto
import SQLite

/// Our own Megolm sessions, one a room, and who has their keys.
struct OutboundRows {
    private let find: Statement
    private let set: Statement
    private let remove: Statement
    private let findRecipients: Statement
    private let addRecipient: Statement
    private let removeRecipients: Statement

    init(_ database: Database) throws(SQLiteError) {
        find = try database.prepare("SELECT id, pickle, made, messages, visibility FROM outbound WHERE room = ?")
        set = try database.prepare(
            "INSERT OR REPLACE INTO outbound (room, id, pickle, made, messages, visibility) VALUES (?, ?, ?, ?, ?, ?)")
        remove = try database.prepare("DELETE FROM outbound WHERE room = ?")
        findRecipients = try database.prepare(
            "SELECT user, device, identity_key, withheld FROM recipients WHERE session = ?")
        addRecipient = try database.prepare(
            """
            INSERT OR IGNORE INTO recipients (session, user, device, identity_key, withheld) VALUES (?, ?, ?, ?, ?)
            """)
        removeRecipients = try database.prepare(
            "DELETE FROM recipients WHERE session IN (SELECT id FROM outbound WHERE room = ? AND id <> ?)")
    }

    func session(in room: String) throws(SQLiteError) -> StoredOutboundGroupSession? {
        try find.bind(room)
        var found: StoredOutboundGroupSession?
        while try find.next() {
            found = StoredOutboundGroupSession(
                id: find.text(0), room: room, pickle: find.bytes(1), made: find.integer(2),
                messageCount: Int(find.integer(3)), historyVisibility: find.text(4))
        }
        return found
    }

    func recipients(of session: String) throws(SQLiteError) -> [SessionRecipient] {
        try findRecipients.bind(session)
        var found: [SessionRecipient] = []
        while try findRecipients.next() {
            found.append(
                SessionRecipient(
                    user: findRecipients.text(0), device: findRecipients.text(1), identityKey: findRecipients.text(2),
                    isWithheld: findRecipients.integer(3) != 0))
        }
        return found
    }

    func write(
        _ sessions: [String: StoredOutboundGroupSession?], recipients: [String: Set<SessionRecipient>]
    ) throws(SQLiteError) {
        for (room, session) in sessions {
            try removeRecipients.run(room, session?.id ?? "")
            guard let session else {
                try remove.run(room)
                continue
            }
            try set.run(
                room, session.id, session.pickle, session.made, Int64(session.messageCount), session.historyVisibility)
        }
        for (session, people) in recipients {
            for one in people {
                try addRecipient.run(session, one.user, one.device, one.identityKey, Int64(one.isWithheld ? 1 : 0))
            }
        }
    }
}
