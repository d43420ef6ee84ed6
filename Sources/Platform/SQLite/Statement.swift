import CSQLite

/// A compiled statement. Parameters are numbered from 1, columns from 0, as SQLite does.
public final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    init(_ handle: OpaquePointer, of database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit {
        sqlite3_finalize(handle)
    }

    public func bind(_ parameter: Int, _ number: Int64) throws(SQLiteError) {
        try database.check(sqlite3_bind_int64(handle, Int32(parameter), number))
    }

    public func bind(_ parameter: Int, _ text: String) throws(SQLiteError) {
        var text = text
        let code = text.withUTF8 { bytes in
            // SQLite copies the bytes before it returns; an empty buffer needs some address all the same, or it is NULL.
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    return sqlite3_bind_text(handle, Int32(parameter), "", 0, Self.copied)
                }
                return sqlite3_bind_text(handle, Int32(parameter), start, Int32(characters.count), Self.copied)
            }
        }
        try database.check(code)
    }

    public func bind(_ parameter: Int, _ bytes: [UInt8]) throws(SQLiteError) {
        // An empty array has an address too, so this is never NULL by accident.
        try database.check(sqlite3_bind_blob(handle, Int32(parameter), bytes, Int32(bytes.count), Self.copied))
    }

    /// What a parameter was bound to before stays bound, so NULL has to be said.
    public func bindNull(_ parameter: Int) throws(SQLiteError) {
        try database.check(sqlite3_bind_null(handle, Int32(parameter)))
    }

    /// Runs to the end and makes ready for the next use.
    public func run() throws(SQLiteError) {
        while try next() {}
    }

    /// Steps to the next row; after the last one the statement is ready for the next use.
    public func next() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw SQLiteError(code) }
        return false
    }

    public func integer(_ column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(column))
    }

    /// NULL reads as an empty text.
    public func text(_ column: Int) -> String {
        guard let bytes = sqlite3_column_text(handle, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// NULL reads as none.
    public func bytes(_ column: Int) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    public func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// SQLITE_TRANSIENT, a cast that C's importer doesn't bring over.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
