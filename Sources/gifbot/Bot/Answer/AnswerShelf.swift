import Base
import Chat

/// The latest answers of one conversation, the oldest first. Notices stand apart: they may not push a GIF out.
@Loop struct AnswerShelf {
    /// Of each kind; the oldest is forgotten, and can't be undone any more.
    static let capacity = 12
    /// So many keep the whole GIF, for `save`.
    private static let withGif = 3

    private(set) var gifs: [AnswerRecord] = []
    private(set) var notices: [AnswerRecord] = []
    private(set) var usedAt: Instant

    init(at now: Instant) {
        usedAt = now
    }

    subscript(id: AnswerID) -> AnswerRecord? {
        place(of: id, in: gifs).map { gifs[$0] } ?? place(of: id, in: notices).map { notices[$0] }
    }

    /// Not by a closure: each call of one would look whether it is made on the loop.
    private func place(of id: AnswerID, in records: [AnswerRecord]) -> Int? {
        for place in records.indices.reversed() where records[place].id == id { return place }
        return nil
    }

    mutating func note(_ record: AnswerRecord) {
        usedAt = record.at
        if let place = place(of: record.id, in: notices) { notices.remove(at: place) }
        if let place = place(of: record.id, in: gifs) {
            gifs[place] = record
        } else {
            if gifs.count >= Self.capacity { gifs.removeFirst() }
            gifs.append(record)
            if gifs.count > Self.withGif { gifs[gifs.count - 1 - Self.withGif].gif = nil }
        }
    }

    mutating func noteNotice(_ record: AnswerRecord) {
        usedAt = record.at
        remove(record.id)
        if notices.count >= Self.capacity { notices.removeFirst() }
        notices.append(record)
    }

    mutating func remove(_ id: AnswerID) {
        if let place = place(of: id, in: gifs) { gifs.remove(at: place) }
        if let place = place(of: id, in: notices) { notices.remove(at: place) }
    }
}
