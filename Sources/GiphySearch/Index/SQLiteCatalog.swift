public import GiphySearch
import Base
import Files
import Images
import SQLite

/// Searches the index of a folder. It belongs to one thread at a time and blocks, for some milliseconds.
public final class SQLiteCatalog: FolderCatalog {
    private let place: IndexPlace
    private var opened: Opened?
    private var openedStamp: UInt64?

    private struct Opened {
        let search: Statement
        let file: Statement
        let newest: Statement
        let byName: Statement
        let count: Int64
    }

    public init(_ place: IndexPlace) {
        self.place = place
    }

    /// A folder that isn't there has no index; it may come later.
    public convenience init(folder: String, stateFolder: String?) {
        self.init(
            IndexPlace(folder: folder, stateFolder: stateFolder)
                ?? IndexPlace(realFolder: folder, stateFolder: stateFolder))
    }

    /// From the file's number and time: a new index is a new file.
    public func stamp() -> UInt64? {
        guard let path = place.found, let file = try? FileStamp(of: path) else { return nil }
        return UInt64(file.inode) &* 0x100_0000_01B3 ^ UInt64(bitPattern: Int64(file.seconds)) ^ UInt64(file.bytes)
            << 20
    }

    public func files(for request: PageRequest, from offset: Int, atMost limit: Int) throws(FolderError)
        -> (files: [FolderFile], isMore: Bool)
    {
        do throws(SQLiteError) {
            return try search(request, from: offset, atMost: limit)
        } catch {
            throw FolderError(reason: error.description)
        }
    }

    private func search(_ request: PageRequest, from offset: Int, atMost limit: Int) throws(SQLiteError)
        -> (files: [FolderFile], isMore: Bool)
    {
        let opened = try open()
        let words = request.query.words
        switch request.query.mode {
        case .search: return try page(numbers(for: words, offset, limit + 1, opened), limit, opened)
        case .random:
            let pool = words.isEmpty ? nil : try numbers(for: words, 0, 1000, opened)
            return (try chosen(from: pool, atMost: limit, by: request.chance, opened), false)
        case .trending:
            try opened.newest.bind(1, Int64(limit + 1))
            try opened.newest.bind(2, Int64(offset))
            return try page(numbers(of: opened.newest), limit, opened)
        case .translate: return ([], false)
        case .id:
            try opened.byName.bind(1, words)
            return try page(numbers(of: opened.byName), limit, opened)
        }
    }

    private func open() throws(SQLiteError) -> Opened {
        let stamp = stamp()
        if let opened, stamp == openedStamp { return opened }
        opened = nil
        let path = place.found ?? place.inside
        let database = try Database(readingFrom: path, busyTimeout: .milliseconds(200))
        try database.execute("PRAGMA cache_size=-8192; PRAGMA mmap_size=67108864")
        let made = Opened(
            // Ranking costs time for each match, so that of a very common word only so many are ranked.
            search: try database.prepare(
                """
                SELECT rowid FROM (
                    SELECT rowid, bm25(words, 10.0, 1.0) AS score FROM words WHERE words MATCH ?1 LIMIT 2000)
                ORDER BY score, rowid LIMIT ?2 OFFSET ?3
                """),
            file: try database.prepare(
                "SELECT name, title, width, height, bytes, format, seconds FROM files WHERE number = ? AND width > 0"),
            newest: try database.prepare(
                "SELECT number FROM files WHERE width > 0 ORDER BY seconds DESC, number LIMIT ? OFFSET ?"),
            byName: try database.prepare("SELECT number FROM files WHERE name = ? AND width > 0"),
            count: try database.integer("SELECT max(number) FROM files") ?? 0)
        opened = made
        openedStamp = stamp
        return made
    }

    /// The files with all words come first; where they don't fill the page, those with some of them follow.
    private func numbers(for words: String, _ offset: Int, _ limit: Int, _ opened: Opened) throws(SQLiteError)
        -> [Int64]
    {
        let terms = words.split(separator: " ").compactMap { Self.term($0) }
        guard !terms.isEmpty else { return [] }
        let all = try match(terms.joined(separator: " AND "), offset, limit, opened)
        guard terms.count > 1, all.count < limit else { return all }
        let some = try match(terms.joined(separator: " OR "), 0, offset + limit, opened)
        // What the first question gave in earlier pages is passed over by the offset.
        let first = offset == 0 ? all : try match(terms.joined(separator: " AND "), 0, offset + limit, opened)
        let known = Set(first)
        return Array((first + some.filter { !known.contains($0) }).dropFirst(offset).prefix(limit))
    }

    private func match(_ query: String, _ offset: Int, _ limit: Int, _ opened: Opened) throws(SQLiteError) -> [Int64] {
        try opened.search.bind(1, query)
        try opened.search.bind(2, Int64(limit))
        try opened.search.bind(3, Int64(offset))
        return try numbers(of: opened.search)
    }

    private func numbers(of statement: Statement) throws(SQLiteError) -> [Int64] {
        var numbers: [Int64] = []
        while try statement.next() { numbers.append(statement.integer(0)) }
        return numbers
    }

    /// A word, or what begins with it, or it without its ending, as full text search writes it. People's words stay inside the
    /// quotes, so that none is an operator. Nil for what has neither letter nor digit.
    static func term(_ typed: Substring) -> String? {
        let word = String(typed)
        guard word.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
        func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: " ") + "\"" }
        guard word.count >= 3 else { return quoted(word) }
        // The word itself stands twice, so that it counts more than a beginning.
        var forms = [quoted(word), quoted(word) + "*"]
        for ending in ["s", "es", "ing"] where word.hasSuffix(ending) && word.count - ending.count >= 3 {
            forms.append(quoted(String(word.dropLast(ending.count))))
        }
        return "(" + forms.joined(separator: " OR ") + ")"
    }

    private func page(_ numbers: [Int64], _ limit: Int, _ opened: Opened) throws(SQLiteError) -> (
        files: [FolderFile], isMore: Bool
    ) {
        var files: [FolderFile] = []
        for number in numbers.prefix(limit) {
            if let file = try file(number, opened) { files.append(file) }
        }
        return (files, numbers.count > limit)
    }

    private func file(_ number: Int64, _ opened: Opened) throws(SQLiteError) -> FolderFile? {
        let row = opened.file
        try row.bind(1, number)
        var found: FolderFile?
        while try row.next() {
            // The index may have come with a folder from elsewhere, and what it names is read and uploaded.
            let name = row.text(0)
            guard FolderFile.isBelowFolder(name), let format = ImageHeader.Format(rawValue: row.text(5)) else {
                continue
            }
            let title = row.text(1)
            found = FolderFile(
                name: name, title: title.isEmpty ? nil : title, width: Int(row.integer(2)),
                height: Int(row.integer(3)), byteCount: Int(row.integer(4)), format: format,
                changed: Int(row.integer(6)))
        }
        return found
    }

    /// None of them twice. A number may stand for a still picture: then another is drawn, a bounded number of times.
    private func chosen(from pool: [Int64]?, atMost limit: Int, by chance: UInt64, _ opened: Opened) throws(SQLiteError)
        -> [FolderFile]
    {
        let size = pool.map { Int64($0.count) } ?? opened.count
        guard size > 0 else { return [] }
        var generator = SeededGenerator(seed: chance)
        var seen: Set<Int64> = []
        var files: [FolderFile] = []
        for _ in 0..<(limit * 20) where files.count < limit && Int64(seen.count) < size {
            let drawn = Int64(generator.next() % UInt64(size))
            guard seen.insert(drawn).inserted else { continue }
            if let file = try file(pool?[Int(drawn)] ?? drawn + 1, opened) { files.append(file) }
        }
        return files
    }
}
