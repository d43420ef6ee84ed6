import Base
import GiphySearch
import Glibc
import SQLite

/// A page on its way to the disk. After `end` it may go.
struct PageWrite: Sendable {
    let page: StoredPage
    let key: StoredPageKey
    let end: WallTime
}

/// The file behind `PageFile`, on a queue of its own.
actor PageDatabase {
    /// Writes between two looks at how many pages there are.
    private static let writesBetweenLooks = 50
    /// Of the tables and of what stands in them; a file of another one is thrown away.
    private static let form: Int64 = 2

    private struct Statements {
        let database: Database
        let find: Statement
        let findAll: Statement
        let keep: Statement
        let forgetOld: Statement
        let forgetMost: Statement
    }

    /// A hundred pages written at once would hold up answers where there are few processors.
    private nonisolated let queue = QueueExecutor(label: "pages", yields: true)
    private let path: String
    private let log: Log
    private var opened: Statements?
    /// After a second failure it is left alone until the next start.
    private var failures = 0
    private var writes = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(path: String, log: Log) {
        self.path = path
        self.log = log
    }

    func close() { opened = nil }

    func page(for key: StoredPageKey) -> StoredPage? {
        attempt { (statements) throws(SQLiteError) -> StoredPage? in
            // Letters with marks may be spelled in two ways, which only Swift's comparison knows; that goes through all rows.
            let isASCII = key.words.utf8.allSatisfy { $0 < 0x80 }
            let rows = isASCII ? statements.find : statements.findAll
            try rows.bind(1, key.common)
            if isASCII { try rows.bind(2, key.words) }
            var found: StoredPage?
            while try rows.next() {
                guard found == nil, rows.text(0) == key.words, let page = PageBytes.page(from: rows.bytes(2)) else {
                    continue
                }
                found = StoredPage(page: page, at: WallTime(milliseconds: rows.integer(1)))
            }
            return found
        } ?? nil
    }

    /// `StoredPageKey.digest` of all that is there; nil when that can't be told.
    func digests() -> Set<UInt64>? {
        attempt { (statements) throws(SQLiteError) -> Set<UInt64> in
            var all: Set<UInt64> = []
            let rows = try statements.database.prepare("SELECT DISTINCT common FROM pages")
            while try rows.next() { all.insert(StoredPageKey.digest(ofCommon: rows.text(0))) }
            return all
        }
    }

    /// One transaction, after which at most `entries` are left, give or take those written since it was last looked.
    func keep(_ pages: [PageWrite], entries: Int) {
        let isTimeToLook = writes == 0 || writes % Self.writesBetweenLooks + pages.count >= Self.writesBetweenLooks
        writes += pages.count
        _ = attempt { (statements) throws(SQLiteError) -> Bool in
            try statements.database.transaction { () throws(SQLiteError) in
                for page in pages { try Self.keep(page, statements.keep) }
                guard isTimeToLook, let now = pages.last?.page.at else { return }
                try statements.forgetOld.bind(1, now.milliseconds)
                try statements.forgetOld.run()
                try statements.forgetMost.bind(1, Int64(entries))
                try statements.forgetMost.run()
            }
            return true
        }
    }

    private static func keep(_ write: PageWrite, _ statement: Statement) throws(SQLiteError) {
        guard let bytes = PageBytes.bytes(of: write.page.page) else { return }
        try statement.bind(1, write.key.common)
        try statement.bind(2, write.key.words)
        try statement.bind(3, write.page.at.milliseconds)
        try statement.bind(4, write.end.milliseconds)
        try statement.bind(5, bytes)
        try statement.run()
    }

    private func attempt<Value>(_ work: (Statements) throws(SQLiteError) -> Value) -> Value? {
        guard failures < 2 else { return nil }
        do throws(SQLiteError) {
            guard let statements = opened else {
                let made = try open()
                opened = made
                return try work(made)
            }
            return try work(statements)
        } catch {
            failures += 1
            opened = nil
            remove()
            log.warning("stored pages can't be used and are thrown away", ["reason": error.description])
            return nil
        }
    }

    private func open() throws(SQLiteError) -> Statements {
        do throws(SQLiteError) {
            return try prepared()
        } catch {
            // Another version's file, or a broken one: a new one is as good.
            remove()
            return try prepared()
        }
    }

    private func prepared() throws(SQLiteError) -> Statements {
        let database = try Database(path: path, busyTimeout: .seconds(1))
        // Nothing waits for the disk: a file that a crash of the machine broke is thrown away.
        try database.execute(
            """
            PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF; PRAGMA cache_size=-256; PRAGMA trusted_schema=OFF;
            PRAGMA secure_delete=ON;
            """)
        if try database.integer("PRAGMA user_version") != Self.form {
            // Fails where another version has its table.
            try database.execute(
                """
                CREATE TABLE pages (
                    common TEXT NOT NULL, words TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL,
                    page BLOB NOT NULL, PRIMARY KEY (common, words));
                CREATE INDEX pages_by_time ON pages (at);
                PRAGMA user_version=2;
                """)
        }
        return Statements(
            database: database,
            find: try database.prepare("SELECT words, at, page FROM pages WHERE common = ? AND words = ?"),
            findAll: try database.prepare("SELECT words, at, page FROM pages WHERE common = ?"),
            keep: try database.prepare(
                "INSERT OR REPLACE INTO pages (common, words, at, until, page) VALUES (?, ?, ?, ?, ?)"),
            forgetOld: try database.prepare("DELETE FROM pages WHERE until < ?"),
            forgetMost: try database.prepare(
                "DELETE FROM pages WHERE rowid IN (SELECT rowid FROM pages ORDER BY at DESC LIMIT -1 OFFSET ?)"))
    }

    private func remove() {
        for ending in ["", "-journal", "-wal", "-shm"] { unlink(path + ending) }
    }
}
