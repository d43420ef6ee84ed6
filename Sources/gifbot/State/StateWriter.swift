import Base
import MatrixAdapter
import SQLite

/// Writes on a queue of its own, so that a slow disk never holds the loop.
actor StateWriter {
    struct Outcome: Sendable {
        var databaseFault: String?
        /// The name that a database has now which turned out broken; the next start makes a new one.
        var setAside: String?
        /// Accounts whose session couldn't be stored, with the reason.
        var sessionFaults: [String: String] = [:]
    }

    private nonisolated let queue = QueueExecutor(label: "state")
    private var database: Database?
    /// Made at the first write: compiling them all would cost a start half a millisecond.
    private var statements: StateDatabase?
    private let sessions: SessionFiles

    /// Without a database only sessions are written.
    init(database: sending Database?, sessions: SessionFiles) {
        self.database = database
        self.sessions = sessions
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func write(_ changes: StateChanges) -> Outcome {
        var outcome = Outcome()
        if changes.touchesDatabase {
            do throws(SQLiteError) {
                try write(toDatabase: changes)
            } catch {
                if error.kind == .broken {
                    close()
                    outcome.setAside = sessions.folder.setAside(StateFolder.database) ?? "-"
                } else {
                    outcome.databaseFault = error.description
                }
            }
        }
        for (account, session) in changes.sessions {
            do throws(SessionFiles.Fault) {
                try sessions.write(session, of: account)
            } catch {
                outcome.sessionFaults[account] = error.reason
            }
        }
        return outcome
    }

    func close() {
        statements = nil
        database = nil
    }

    private func write(toDatabase changes: StateChanges) throws(SQLiteError) {
        guard let database else { return }
        if let statements { return try statements.write(changes) }
        // Another outcome than that the tables are there can't be, since the folder is locked.
        if database.wasEmpty { _ = try Schema.migrate(database) }
        let made = try StateDatabase(database)
        statements = made
        try made.write(changes)
    }
}
