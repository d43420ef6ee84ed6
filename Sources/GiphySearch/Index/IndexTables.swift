import Base
import GiphySearch
import Images
import SQLite

/// What the index knows of one file: kept for a still or damaged one too, so that it isn't read again.
struct IndexedFile: Equatable, Sendable {
    let scanned: ScannedFile
    /// Nil for what is no animation.
    let header: Header?
    /// A picture that doesn't move, and not one that can't be read.
    let isStill: Bool
    let title: String?
    let tags: String

    struct Header: Equatable, Sendable {
        let width: Int
        let height: Int
        let format: ImageHeader.Format
    }
}

/// The tables of an index file, which is written once and then only read.
enum IndexTables {
    static let version = 1

    /// Names count above tags. The words are kept without the texts they come from, which the other table has.
    private static let tables: StaticString = """
        CREATE TABLE files (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes INTEGER NOT NULL, seconds INTEGER NOT NULL,
            nanoseconds INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, format TEXT NOT NULL,
            title TEXT NOT NULL, tags TEXT NOT NULL);
        CREATE VIRTUAL TABLE words USING fts5(name, tags, content='', tokenize="unicode61");
        """
    private static let finish: StaticString = """
        INSERT INTO words(words) VALUES('optimize');
        CREATE INDEX files_by_name ON files (name);
        CREATE INDEX files_by_time ON files (seconds) WHERE width > 0;
        PRAGMA user_version = 1
        """

    /// Into an empty database. The rows' numbers follow the order given, so that equal ranks stay in it.
    static func write(_ files: [IndexedFile], to database: Database) throws(SQLiteError) {
        // The file is made aside and renamed when it is whole: should the power fail, the old one is still there.
        try database.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536")
        try database.transaction { () throws(SQLiteError) in
            try database.execute(tables)
            let row = try database.prepare("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            let words = try database.prepare("INSERT INTO words(rowid, name, tags) VALUES (?, ?, ?)")
            for (index, file) in files.enumerated() {
                try bind(file, Int64(index + 1), to: row)
                guard file.header != nil else { continue }
                let path = file.scanned.name
                let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
                let end = path[start...].lastIndex(of: ".") ?? path.endIndex
                try words.bind(1, Int64(index + 1))
                try words.bind(2, String(path[start..<end]) + (file.title.map { " " + $0 } ?? ""))
                try words.bind(3, String(path[..<start]) + " " + file.tags)
                try words.run()
            }
            try database.execute(finish)
        }
    }

    private static func bind(_ file: IndexedFile, _ number: Int64, to row: Statement) throws(SQLiteError) {
        try row.bind(1, number)
        try row.bind(2, file.scanned.name)
        try row.bind(3, Int64(file.scanned.bytes))
        try row.bind(4, Int64(file.scanned.seconds))
        try row.bind(5, Int64(file.scanned.nanoseconds))
        try row.bind(6, Int64(file.header?.width ?? 0))
        try row.bind(7, Int64(file.header?.height ?? 0))
        try row.bind(8, file.header?.format.rawValue ?? (file.isStill ? "still" : ""))
        try row.bind(9, file.title ?? "")
        try row.bind(10, file.tags)
        try row.run()
    }

    /// Everything in an index; nil for another version's.
    static func read(from database: Database) throws(SQLiteError) -> [IndexedFile]? {
        guard try database.integer("PRAGMA user_version") == Int64(version) else { return nil }
        let rows = try database.prepare(
            "SELECT name, bytes, seconds, nanoseconds, width, height, format, title, tags FROM files ORDER BY number")
        var files: [IndexedFile] = []
        while try rows.next() {
            let title = rows.text(7)
            let format = ImageHeader.Format(rawValue: rows.text(6))
            files.append(
                IndexedFile(
                    scanned: ScannedFile(
                        name: rows.text(0), bytes: Int(rows.integer(1)), seconds: Int(rows.integer(2)),
                        nanoseconds: Int(rows.integer(3))),
                    header: format.map {
                        IndexedFile.Header(width: Int(rows.integer(4)), height: Int(rows.integer(5)), format: $0)
                    },
                    isStill: rows.text(6) == "still", title: title.isEmpty ? nil : title, tags: rows.text(8)))
        }
        return files
    }
}
