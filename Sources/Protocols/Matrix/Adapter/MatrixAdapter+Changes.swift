import Base
import Chat
import Matrix

extension MatrixAdapter {
    /// Of a command: its answer isn't sent any more, and the handler takes back what was said. Of an answer: it is gone.
    func tookBack(_ redaction: RoomRedaction) {
        let known = book[redaction.event]
        // Servers pass on a redaction of whatever id: one from another room takes nothing back here.
        if let known, known.commandRoom != redaction.room { return }
        redacted.insert(Self.redactionKey(redaction.event, in: redaction.room))
        release(late.redacted(redaction.event, in: redaction.room))
        // The answer may wait in another room, a direct chat.
        sender.redacted(redaction.event, in: known?.room ?? redaction.room)
        if let given = book.answer(event: redaction.event), given.room == redaction.room {
            book.remove(given.id)
            if let account = session?.userID { store.forget(answer: given.id, of: account) }
        }
        guard redaction.sender != session?.userID, let given = book[redaction.event] else { return }
        tell(
            .redacted, of: given,
            ChatMessage(
                id: redaction.event, conversation: conversation(redaction.room, isDirect: redaction.isDirect),
                sender: person(redaction.sender, level: redaction.level), text: "", isAddressed: true, age: .zero,
                address: RoomAddress(room: given.room, thread: given.thread).text))
    }

    func isRedacted(_ command: String, in room: String) -> Bool {
        redacted.contains(Self.redactionKey(command, in: room))
    }

    private static func redactionKey(_ event: String, in room: String) -> String { room + " " + event }

    /// Only the asker's own edit of a known command, in its room, counts ("Event replacements", validity).
    func edited(_ message: RoomMessage) {
        guard let given = book[message.id], given.asker == message.sender, given.commandRoom == message.room,
            let changed = chatMessage(message, thread: given.thread)
        else { return }
        tell(.edited, of: given, changed)
    }

    /// By whomever: what they may is the handler's to judge.
    func reacted(_ reaction: RoomReaction) {
        guard let meaning = ReactionMark.meaning(of: reaction.mark), let given = book.answer(event: reaction.event),
            given.room == reaction.room, !isIgnored(reaction.sender),
            let age = age(reaction.age, origin: reaction.originTime), age <= longestAge,
            !store.wasAnswered(reaction.id, in: network)
        else { return }
        // A second page turn after a crash would be worse than none.
        store.record(answered: reaction.id, in: network, at: clock.wall)
        tell(
            .reacted(meaning), of: given,
            ChatMessage(
                id: reaction.id, conversation: conversation(reaction.room, isDirect: reaction.isDirect),
                sender: person(reaction.sender, level: reaction.level), text: "", isAddressed: true, age: age,
                address: RoomAddress(room: given.room, thread: given.thread).text))
    }

    /// Whether a sign of life has a place in the room now.
    func mayShow(_ roomID: String) -> Bool {
        haltReason == nil && session?.mayTalk(in: roomID) ?? false && !sender.isLimited(roomID)
    }

    private func tell(_ kind: ChatChange.Kind, of given: GivenAnswer, _ message: ChatMessage) {
        let age = given.at.map { Duration.milliseconds(max(0, clock.wall.milliseconds - $0.milliseconds)) }
        handler.changed(
            ChatChange(
                kind: kind, answer: AnswerID(given.id), message: message,
                isByAsker: given.asker == message.sender.key, answerAge: age),
            from: self)
    }
}
