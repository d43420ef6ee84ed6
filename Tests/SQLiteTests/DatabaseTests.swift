import Base
import Foundation
import SQLite
import TestSupport
import Testing

/// Databases in a folder that is gone when the test is.
private struct Scratch {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func path(_ name: String) -> String { folder.path + "/" + name }

    func open(_ name: String = "a.db") throws(SQLiteError) -> Database {
        try Database(path: path(name), busyTimeout: .milliseconds(1))
    }
}

@Suite struct DatabaseTests {
    @Test func valuesComeBackExactly() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("CREATE TABLE t (n INTEGER, s TEXT)")
        let insert = try database.prepare("INSERT INTO t VALUES (?, ?)")
        let rows: [(Int64, String)] = [
            (0, ""), (.max, "é🐱"), (.min, "'; DROP TABLE t; --"), (-1, "a\u{0}b"),
            (7, String(repeating: "x", count: 100_000)),
        ]
        for (number, text) in rows {
            try insert.bind(1, number)
            try insert.bind(2, text)
            try insert.run()
        }
        let select = try database.prepare("SELECT n, s FROM t ORDER BY rowid")
        for (number, text) in rows {
            #expect(try select.next())
            #expect(select.integer(0) == number)
            #expect(select.text(1) == text)
            #expect(!select.isNull(1))
        }
        #expect(try !select.next())
        #expect(try select.next(), "ready for the next use")
    }

    @Test func aTransactionIsAllOrNothing() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("CREATE TABLE t (n INTEGER PRIMARY KEY)")
        try database.transaction { () throws(SQLiteError) in try database.execute("INSERT INTO t VALUES (1)") }
        #expect(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in
                try database.execute("INSERT INTO t VALUES (2)")
                try database.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
        try database.transaction { () throws(SQLiteError) in try database.execute("INSERT INTO t VALUES (2)") }
        #expect(try scratch.open().integer("SELECT count(*) FROM t") == 2)
    }

    @Test func theFileAndItsSideFilesAreForTheOwnerOnly() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (n INTEGER)")
        for name in ["a.db", "a.db-wal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(name))[.posixPermissions]
            #expect(mode as? Int == 0o600, "\(name)")
        }
    }

    @Test func errorsSayTheirKindAndNoValue() throws {
        let scratch = try Scratch()
        try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: scratch.path("no.db")))
        let broken = try #require(throws: SQLiteError.self) {
            try scratch.open("no.db").execute("SELECT * FROM sqlite_schema")
        }
        #expect(broken.kind == .broken)
        let missing = try #require(throws: SQLiteError.self) { try scratch.open("none/a.db") }
        #expect(missing.kind == .unavailable)
        let database = try scratch.open()
        let misused = try #require(throws: SQLiteError.self) { try database.execute("SELECT S3CRET FROM nowhere") }
        #expect(misused.kind == .misused)
        #expect(!"\(misused)".contains("S3CRET"))
        #expect(throws: SQLiteError.self) { try database.prepare("") }
        let other = try scratch.open()
        try database.execute("BEGIN IMMEDIATE")
        let busy = try #require(throws: SQLiteError.self) { try other.execute("BEGIN IMMEDIATE") }
        #expect(busy.kind == .unavailable)
    }

    @Test func aStatementOutlivesItsNameForTheDatabase() throws {
        let scratch = try Scratch()
        let statement = try scratch.open().prepare("SELECT NULL, 5")
        #expect(try statement.next())
        #expect(statement.isNull(0))
        #expect(statement.text(0) == "")
        #expect(statement.integer(1) == 5)
    }
}
