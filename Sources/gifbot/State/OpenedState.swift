import Base
import MatrixAdapter
import SQLite

/// What comes out of opening a folder: everything read, and the way to write.
struct OpenedState {
    let memory: StateMemory
    let writer: StateWriter

    /// Only a newer version stops the start. A file that can't be read is set aside, and without any database the bot
    /// goes on in memory.
    static func open(_ folder: StateFolder, now: WallTime, log: Log) throws(StateError) -> OpenedState {
        let sessions = SessionFiles(folder: folder)
        var memory = StateMemory()
        let database = try openDatabase(folder, into: &memory, now: now, log: log, maySetAside: true)
        memory.sessions = sessions.readAll(log: log)
        for secret in memory.sessions.values.flatMap(\.secrets) { log.addSecret(secret) }
        return OpenedState(memory: memory, writer: StateWriter(database: database, sessions: sessions))
    }

    private static func openDatabase(
        _ folder: StateFolder, into memory: inout StateMemory, now: WallTime, log: Log, maySetAside: Bool
    ) throws(StateError) -> sending Database? {
        let reason: String
        var newer: Int?
        do throws(SQLiteError) {
            let database = try Database(path: folder.file(StateFolder.database), busyTimeout: .seconds(1))
            // Nothing can be read from it: its tables are made with the first write, not while the bot starts.
            if database.wasEmpty { return database }
            switch try Schema.migrate(database) {
            case .newer(let found):
                newer = found
                reason = ""
            case .foreign: reason = "not a database of gifbot"
            case .ready:
                try memory.load(from: database, now: now)
                return database
            }
        } catch {
            guard error.kind != .unavailable else {
                log.error("the state can't be kept, going on in memory", ["reason": error.description])
                return nil
            }
            reason = error.description
        }
        if let newer { throw .newerVersion(folder: folder.path, found: newer, known: Schema.version) }
        memory = StateMemory()
        guard maySetAside, let name = folder.setAside(StateFolder.database) else {
            log.error("the state can't be kept, going on in memory", ["reason": reason])
            return nil
        }
        log.warning("the state couldn't be read and is set aside", ["file": name, "reason": reason])
        return try openDatabase(folder, into: &memory, now: now, log: log, maySetAside: false)
    }
}
