import Base
import Chat

extension Bot {
    /// How long people may take their own answers back.
    static let undoTime = Duration.minutes(10)

    /// The answer that an undo is about: the last of the asker's own that isn't old, for an operator the last of all.
    func answerToUndo(_ request: Request) -> AnswerRecord? {
        if request.isByOperator { return book.last(in: request.conversation) }
        guard let record = book.last(in: request.conversation, of: request.sender.key),
            isRecent(record)
        else { return nil }
        return record
    }

    func isRecent(_ record: AnswerRecord) -> Bool { record.at.advanced(by: Self.undoTime) > clock.now }

    /// Takes an answer back, or sees to it that it is never given. Tells when that can't be.
    func takeBack(_ record: AnswerRecord, _ request: Request) {
        if !isTakenBack(record, request) { hint(Sentences.cantTakeBack, request) }
    }

    func isTakenBack(_ record: AnswerRecord, _ request: Request) -> Bool {
        record.hand?.isWithdrawn = true
        guard record.isAnswered else {
            book.remove(record.id, in: request.conversation)
            return true
        }
        switch request.adapter.retract(record.id, for: request.message) {
        case .accepted:
            book.remove(record.id, in: request.conversation)
            return true
        case .refused(let reason):
            log.debug("not taken back", ["network": request.conversation.network, "reason": reason])
            return false
        }
    }
}
