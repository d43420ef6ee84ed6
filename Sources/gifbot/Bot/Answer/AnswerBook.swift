import Base
import Chat

/// The latest answers of 500 conversations. At the bound the one used longest ago is forgotten: what was said there can't be
/// undone any more.
@Loop struct AnswerBook {
    static let conversations = 500

    private var shelves: [Conversation: AnswerShelf] = [:]

    subscript(id: AnswerID, in conversation: Conversation) -> AnswerRecord? {
        shelves[conversation]?[id]
    }

    /// The latest GIF, shown or still searched for, of one person or of anybody.
    func last(in conversation: Conversation, of asker: String? = nil) -> AnswerRecord? {
        shelves[conversation]?.gifs.last { asker == nil || $0.asker == asker }
    }

    /// The latest GIF that is shown.
    func lastShown(in conversation: Conversation) -> AnswerRecord? {
        shelves[conversation]?.gifs.last { $0.shown != nil }
    }

    /// A GIF, or a command that waits for one, in the place of what was noted under its id.
    mutating func note(_ record: AnswerRecord, in conversation: Conversation) {
        makeRoom(for: conversation)
        shelves[conversation, default: AnswerShelf(at: record.at)].note(record)
    }

    /// A command waits for its sources: until something is said it can be taken back or changed like an answer.
    mutating func noteWaiting(_ request: Request, at now: Instant) {
        request.hand.isInBook = true
        guard let record = self[request.id, in: request.conversation], record.isAnswered else {
            let waiting = AnswerRecord(
                id: request.id, asker: request.person, text: request.message.text, at: now, hand: request.hand)
            return note(waiting, in: request.conversation)
        }
        record.hand = request.hand
    }

    mutating func noteNotice(_ record: AnswerRecord, in conversation: Conversation) {
        makeRoom(for: conversation)
        shelves[conversation, default: AnswerShelf(at: record.at)].noteNotice(record)
    }

    /// Work on a command came to its end; if nothing stands in the conversation, there is nothing to remember.
    mutating func settle(_ id: AnswerID, in conversation: Conversation, _ hand: CommandInHand) {
        guard let record = self[id, in: conversation], record.hand === hand else { return }
        guard record.isAnswered else { return remove(id, in: conversation) }
        record.hand = nil
    }

    mutating func remove(_ id: AnswerID, in conversation: Conversation) {
        shelves[conversation]?.remove(id)
    }

    private mutating func makeRoom(for conversation: Conversation) {
        guard shelves.count >= Self.conversations, shelves[conversation] == nil,
            // A search through all, but only for a new conversation at the bound.
            let oldest = shelves.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
        else { return }
        shelves[oldest] = nil
    }
}
