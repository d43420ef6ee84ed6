import Base
import Bot
import Chat
import GiphySearch
import SQLite

/// Saved GIFs in the database: one row each, and one for each of their files.
final class CollectionRows {
    private let database: Database
    /// Made at the first use: most runs of the program save nothing.
    private var made: Statements?

    private struct Statements {
        let insert: Statement
        let insertFile: Statement
        let delete: Statement
        let deleteFiles: Statement
    }

    init(_ database: Database) {
        self.database = database
    }

    func write(_ row: StateChange) throws(SQLiteError) {
        if case .saved(let gif, let place) = row { try write(gif, place) }
        if case .unsaved(let name, let place) = row { try remove(name, place, statements()) }
    }

    private func write(_ saved: SavedGif, _ place: Conversation) throws(SQLiteError) {
        let statements = try statements()
        try remove(saved.name, place, statements)
        let gif = saved.gif
        try statements.insert.run(
            place.network, place.name, place.direct, saved.name, saved.source, saved.id, saved.by,
            saved.at.milliseconds, gif?.title, gif?.rating?.rawValue, gif?.pageURL, gif?.author, gif?.credit,
            gif?.altText)
        var number: Int64 = 0
        for file in gif?.renditions ?? [] {
            try statements.insertFile.run(
                place.network, place.name, place.direct, saved.name, number, file.url, file.width.map(Int64.init),
                file.height.map(Int64.init), file.byteCount.map(Int64.init), file.mediaType, file.localPath)
            number += 1
        }
    }

    private func remove(_ name: String, _ place: Conversation, _ statements: Statements) throws(SQLiteError) {
        try statements.delete.run(place.network, place.name, place.direct, name)
        try statements.deleteFiles.run(place.network, place.name, place.direct, name)
    }

    private func statements() throws(SQLiteError) -> Statements {
        if let made { return made }
        let statements = Statements(
            insert: try database.prepare(
                """
                INSERT INTO saved (network, conversation, direct, name, source, id, person, at, title, rating,
                page_url, author, credit, alt_text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """),
            insertFile: try database.prepare(
                """
                INSERT INTO saved_files (network, conversation, direct, name, place, url, width, height, bytes,
                media_type, path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """),
            delete: try database.prepare(
                "DELETE FROM saved WHERE network = ? AND conversation = ? AND direct = ? AND name = ?"),
            deleteFiles: try database.prepare(
                "DELETE FROM saved_files WHERE network = ? AND conversation = ? AND direct = ? AND name = ?"))
        made = statements
        return statements
    }
}

extension CollectionRows {
    private struct Name: Hashable {
        let conversation: Conversation
        let name: String
    }

    static func load(from database: Database, into collections: inout Collections) throws(SQLiteError) {
        let files = try loadFiles(from: database)
        let rows = try database.prepare(
            """
            SELECT network, conversation, direct, name, source, id, person, at, title, rating, page_url, author, credit,
            alt_text FROM saved ORDER BY number
            """)
        while try rows.next() {
            let place = rows.conversation
            let name = rows.text(3)
            // Without a credit only the id was kept.
            let gif = rows.optionalText(12).map { credit in
                Gif(
                    id: rows.text(5), source: rows.text(4), title: rows.text(8),
                    rating: rows.optionalText(9).flatMap(Rating.init), pageURL: rows.optionalText(10),
                    author: rows.optionalText(11), credit: credit, altText: rows.optionalText(13),
                    renditions: files[Name(conversation: place, name: name)] ?? [])
            }
            let saved = SavedGif(
                name: name, source: rows.text(4), id: rows.text(5), gif: gif, by: rows.text(6),
                at: WallTime(milliseconds: rows.integer(7)))
            _ = collections.add(saved, in: place)
        }
    }

    private static func loadFiles(from database: Database) throws(SQLiteError) -> [Name: [Rendition]] {
        var files: [Name: [Rendition]] = [:]
        let rows = try database.prepare(
            """
            SELECT network, conversation, direct, name, url, width, height, bytes, media_type, path FROM saved_files
            ORDER BY place
            """)
        while try rows.next() {
            let file = Rendition(
                url: rows.text(4), width: rows.optionalNumber(5), height: rows.optionalNumber(6),
                byteCount: rows.optionalNumber(7), mediaType: rows.optionalText(8), localPath: rows.optionalText(9))
            files[Name(conversation: rows.conversation, name: rows.text(3)), default: []].append(file)
        }
        return files
    }
}
