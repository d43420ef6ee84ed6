import Base
import Chat

/// An edit that waits for the next one, or for 1.5 s without one.
struct PendingEdit {
    let timer: TimerID
}

/// Ids are unique on one network alone.
struct EditKey: Hashable {
    let network: String
    let id: AnswerID
}

extension Bot {
    /// Without another edit, before the answer is changed.
    static let editQuiet = Duration.milliseconds(1500)
    /// Edits that wait at one time; what comes on top changes nothing.
    private static let mostEdits = 256

    func edited(_ change: ChatChange, _ adapter: any ChatAdapter) {
        let message = change.message
        guard let record = book[change.answer, in: message.conversation], record.asker == message.sender.key else {
            return
        }
        let key = EditKey(network: message.conversation.network, id: change.answer)
        if let waiting = edits.removeValue(forKey: key) { clock.cancel(waiting.timer) }
        guard message.text != record.text, edits.count < Self.mostEdits else { return }
        let timer = clock.schedule(at: clock.now.advanced(by: Self.editQuiet)) { [weak self] in
            guard let self else { return }
            edits[key] = nil
            takeEdit(change, adapter)
        }
        edits[key] = PendingEdit(timer: timer)
    }

    private func takeEdit(_ change: ChatChange, _ adapter: any ChatAdapter) {
        let message = change.message
        let channel = inForce.channel(for: message.conversation, self.record)
        guard !isClosed, let record = book[change.answer, in: message.conversation],
            message.age <= channel.settings.ageLimit, isAnswered(message, channel.settings)
        else { return }
        let isAddressed = message.isAddressed || message.conversation.isDirect
        guard let command = channel.parser.parse(message.text, isAddressed: isAddressed), command.isSearch else {
            return
        }
        // Other spaces or letter case are no other words.
        guard command != channel.parser.parse(record.text, isAddressed: isAddressed) else { return }
        let request = Request(
            message: message, adapter: adapter, channel: channel, id: change.answer, place: .instead(orNew: false),
            isEdit: true)
        perform(command, request)
    }

    /// Only now the search for the earlier words is given up, and the words noted: an edit that a limit refuses, or for which
    /// there is no room, leaves the search alone and may be made again. Nil where the command was taken back meanwhile.
    func admitted(edit request: Request) -> Request? {
        guard let record = book[request.id, in: request.conversation] else { return nil }
        record.hand?.isWithdrawn = true
        record.text = request.message.text
        return request.placed(record.isAnswered ? .instead(orNew: false) : .new)
    }

    func redacted(_ change: ChatChange, _ adapter: any ChatAdapter) {
        let conversation = change.message.conversation
        if let waiting = edits.removeValue(forKey: EditKey(network: conversation.network, id: change.answer)) {
            clock.cancel(waiting.timer)
        }
        let record = book[change.answer, in: conversation]
        record?.hand?.isWithdrawn = true
        book.remove(change.answer, in: conversation)
        // One that isn't in the book may be known to the adapter, from before a restart.
        guard record?.isAnswered ?? true else { return }
        _ = adapter.retract(change.answer, for: change.message)
    }

    /// The asker and operators turn pages and undo by a mark on the answer; the answer changes where it stands.
    func reacted(_ reaction: ChatChange.Reaction, _ change: ChatChange, _ adapter: any ChatAdapter) {
        let message = change.message
        let channel = inForce.channel(for: message.conversation, self.record)
        guard message.age <= channel.settings.ageLimit, isAnswered(message, channel.settings) else { return }
        let record = book[change.answer, in: message.conversation]
        // After a restart only the adapter may know whose answer it is.
        let isByAsker = record.map { $0.asker == message.sender.key } ?? change.isByAsker ?? false
        guard isByAsker || message.sender.isOperator || message.sender.isAdmin else { return }
        let request = Request(
            message: message, adapter: adapter, channel: channel, id: change.answer, person: record?.asker,
            place: .instead(orNew: true))
        request.hand.hold()
        afterNote(request) { self.react(reaction, record, age: change.answerAge, request) }
        release(request)
    }

    private func react(
        _ reaction: ChatChange.Reaction, _ record: AnswerRecord?, age: Duration?, _ request: Request
    ) {
        switch reaction {
        case .undo:
            if let record {
                guard request.isByOperator || isRecent(record) else { return hint(Sentences.nothingToUndo, request) }
                takeBack(record, request)
            } else {
                guard request.isByOperator || age.map({ $0 < Self.undoTime }) ?? true else {
                    return hint(Sentences.nothingToUndo, request)
                }
                _ = request.adapter.retract(request.id, for: request.message)
            }
        case .next: if let record { turn(.next, from: record, request) }
        case .previous: if let record { turn(.previous, from: record, request) }
        }
    }

    /// What the adapter has noted of a mark is on disk before anything comes of it.
    private func afterNote(_ request: Request, _ work: @escaping @Loop @Sendable () -> Void) {
        guard store.owesWriting, inProgress < Self.capacity else { return work() }
        afterWriting(request) { _ in work() }
    }

    private func turn(_ turn: PageTurn, from record: AnswerRecord, _ request: Request) {
        guard let search = record.search, let shown = record.shown, choices.isHeld(search, at: clock.now),
            admit(request, cost: CommandTable.turnCost)
        else { return }
        self.turn(turn, Choice(search: search, current: shown, isPreview: false), request)
    }
}

extension Command {
    /// It asks for a GIF of its own words, so that an edit of another such command can become it.
    var isSearch: Bool {
        switch self {
        case .search: true
        case .named(let entry, _): entry.isSearch
        case .usage, .wrongOption: false
        }
    }
}
