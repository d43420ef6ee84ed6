public import Bot
import Base
import Files
import Glibc
import SQLite

/// Looks into a state folder beside a bot that may be running there: takes no lock, and makes and changes nothing.
public enum StateReading {
    public enum Outcome: Sendable {
        case read(AdminRecord)
        /// No bot has run there yet, or nothing was ever set by chat.
        case nothing
        /// In words.
        case failed(String)
    }

    /// What was set by chat, as it is on disk.
    public static func adminRecord(inFolder path: String) -> Outcome {
        let file = path + "/" + StateFolder.database
        guard access(file, F_OK) == 0 else {
            let reason = errno
            return reason == ENOENT ? .nothing : .failed(systemText(reason))
        }
        do throws(SQLiteError) {
            let database = try Database(readingFrom: file, busyTimeout: .seconds(1))
            guard let version = try database.integer("PRAGMA user_version"), version >= 2 else { return .nothing }
            guard version <= Schema.version else { return .failed("a newer gifbot wrote it") }
            var record = AdminRecord()
            try record.load(from: database)
            return .read(record)
        } catch {
            return .failed(error.description)
        }
    }
}
