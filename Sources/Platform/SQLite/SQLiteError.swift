import CSQLite

/// What SQLite answered. The text is SQLite's own for the code, so no value and no query is ever in it.
public struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code.
    public let code: Int32
    public let message: String

    init(_ code: Int32) {
        self.code = code
        message = String(cString: sqlite3_errstr(code))
    }

    public var description: String { "SQLite \(code): \(message)" }

    /// How the caller can go on.
    public enum Kind: Sendable {
        /// Not a database, or one with a broken page: it will never be read again.
        case broken
        /// The disk is full, the file can't be opened or written, memory ran out, somebody else holds the lock: the
        /// file itself may be as good as ever.
        case unavailable
        /// The statement and the file's tables don't fit each other.
        case misused
    }

    public var kind: Kind {
        switch code & 0xFF {
        case SQLITE_NOTADB, SQLITE_CORRUPT: .broken
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOMEM, SQLITE_BUSY,
            SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_AUTH, SQLITE_INTERRUPT:
            .unavailable
        default: .misused
        }
    }
}
