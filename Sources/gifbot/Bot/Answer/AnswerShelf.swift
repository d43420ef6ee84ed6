import Base
import Chat

/// The latest answers of one conversation, the oldest first. Notices stand apart: they may not push a GIF out.
struct AnswerShelf {
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
        gifs.last { $0.id == id } ?? notices.last { $0.id == id }
    }

    mutating func note(_ record: AnswerRecord) {
        usedAt = record.at
        notices.removeAll { $0.id == record.id }
        if let place = gifs.lastIndex(where: { $0.id == record.id }) {
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

    mutating func change(_ id: AnswerID, _ change: (inout AnswerRecord) -> Void) {
        if let place = gifs.lastIndex(where: { $0.id == id }) {
            change(&gifs[place])
        } else if let place = notices.lastIndex(where: { $0.id == id }) {
            change(&notices[place])
        }
    }

    mutating func remove(_ id: AnswerID) {
        gifs.removeAll { $0.id == id }
        notices.removeAll { $0.id == id }
    }
}
