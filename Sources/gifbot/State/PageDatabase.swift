import Base
import GiphySearch
import Glibc
import SQLite

/// The file behind `PageFile`, on a queue of its own.
actor PageDatabase {
    /// Writes between two looks at how many pages there are.
    private static let writesBetweenLooks = 50

    private struct Statements {
        let database: Database
        let find: Statement
        let findAll: Statement
        let keep: Statement
        let forgetOld: Statement
        let forgetMost: Statement
    }

    private nonisolated let queue = QueueExecutor(label: "pages")
    private let path: String
    private let log: Log
    private var opened: Statements?
    /// After a second failure it is left alone until the next start.
    private var failures = 0
    private var entries = 5000
    private var writes = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(path: String, log: Log) {
        self.path = path
        self.log = log
    }

    func limit(entries: Int) { self.entries = entries }

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
                guard found == nil, rows.text(0) == key.words, let page = PageText.page(from: rows.text(2)) else {
                    continue
                }
                found = StoredPage(page: page, at: WallTime(milliseconds: rows.integer(1)))
            }
            return found
        } ?? nil
    }

    func keep(_ page: StoredPage, for key: StoredPageKey, until end: WallTime) {
        guard let text = PageText.text(of: page.page) else { return }
        let isTimeToLook = writes % Self.writesBetweenLooks == 0
        writes += 1
        let entries = Int64(entries)
        _ = attempt { (statements) throws(SQLiteError) -> Bool in
            if isTimeToLook {
                try statements.forgetOld.bind(1, page.at.milliseconds)
                try statements.forgetOld.run()
                try statements.forgetMost.bind(1, entries)
                try statements.forgetMost.run()
            }
            let keep = statements.keep
            try keep.bind(1, key.common)
            try keep.bind(2, key.words)
            try keep.bind(3, page.at.milliseconds)
            try keep.bind(4, end.milliseconds)
            try keep.bind(5, text)
            try keep.run()
            return true
        }
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
        try database.execute(
            """
            PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF; PRAGMA cache_size=-256; PRAGMA trusted_schema=OFF;
            PRAGMA secure_delete=ON;
            CREATE TABLE IF NOT EXISTS pages (
                common TEXT NOT NULL, words TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL,
                page TEXT NOT NULL, PRIMARY KEY (common, words));
            CREATE INDEX IF NOT EXISTS pages_by_time ON pages (at);
            """)
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
