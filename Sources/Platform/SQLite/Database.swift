import Base
import CSQLite
import Glibc

/// One connection to one file. It belongs to whoever opened it, one thread at a time; as it isn't `Sendable`, the
/// compiler sees to that.
public final class Database {
    private let handle: OpaquePointer
    /// The file held nothing when it was opened.
    public let wasEmpty: Bool

    /// Opens a file that is there for reading alone, beside whoever writes to it.
    public init(readingFrom path: String, busyTimeout: Duration) throws(SQLiteError) {
        handle = try Self.open(path, SQLITE_OPEN_READONLY, busyTimeout)
        wasEmpty = false
    }

    /// Opens the file, or makes it with mode 600; SQLite gives its side files the mode of the file.
    /// `busyTimeout`: how long to wait for a lock of another process.
    public init(path: String, busyTimeout: Duration) throws(SQLiteError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        wasEmpty = file >= 0 && lseek(file, 0, SEEK_END) == 0
        if file >= 0 { close(file) }
        handle = try Self.open(path, SQLITE_OPEN_READWRITE, busyTimeout)
    }

    private static func open(
        _ path: String, _ mode: Int32, _ busyTimeout: Duration
    ) throws(SQLiteError) -> OpaquePointer {
        var opened: OpaquePointer?
        // No mutex: the type keeps threads apart already.
        let code = sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw SQLiteError(code == SQLITE_OK ? SQLITE_NOMEM : code)
        }
        sqlite3_busy_timeout(opened, Int32(clamping: busyTimeout.milliseconds))
        return opened
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters; rows are thrown away.
    public func execute(_ sql: StaticString) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql.description, nil, nil, nil))
    }

    /// Compiles one statement, to be used many times. Values go in by `bind` only, hence the static text.
    public func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement {
        var compiled: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql.description, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil))
        guard let compiled else { throw SQLiteError(SQLITE_MISUSE) }
        return Statement(compiled, of: self)
    }

    /// The one number that a statement without parameters gives.
    public func integer(_ sql: StaticString) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.next() ? statement.integer(0) : nil
    }

    /// All of it or nothing; takes the write lock at once, so that nothing fails half-way for want of it.
    public func transaction<T>(_ body: () throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some errors have rolled back already; then this one has nothing to do.
            try? execute("ROLLBACK")
            throw error
        }
    }

    func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code) }
    }
}
