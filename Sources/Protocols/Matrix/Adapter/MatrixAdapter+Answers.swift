import Base
public import Chat
import Matrix

extension MatrixAdapter {
    public func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        guard let id = message.id, let address = RoomAddress(message.address) else {
            return .refused("the message has no address here")
        }
        var place: (room: String, thread: String?, repliesTo: String?) = (address.room, address.thread, id)
        if reply.audience == .asker {
            // Also of a command given in a chat of two: somebody may have come since.
            guard let direct = directChat(with: message.sender.key) else {
                return .refused("there is no direct chat with who asked")
            }
            if direct != address.room { place = (direct, nil, nil) }
        }
        if let reason = refusal(in: place.room) { return .refused(reason) }
        if isRedacted(id, in: address.room) { return .refused("the command was redacted") }
        let transaction = transactions.next(answering: id)
        if reply.audience == .asker { confidences[transaction] = Confidence(room: place.room) }
        let content = ReplyContent(text: reply.text, url: reply.url, answers: place.repliesTo, thread: place.thread)
        if let answer = reply.id?.text {
            note(answer, for: message, address)
            book.update(answer) { given in
                given.room = place.room
                given.thread = place.thread
                given.event = nil
            }
            return post(
                Letter(act: .say, answer: answer, content: content, media: reply.media), to: place.room,
                transaction, command: id)
        }
        return enqueue(
            OutgoingEvent(
                room: place.room, type: "m.room.message", transactionID: transaction, content: content.json(),
                answers: id))
    }

    public func revise(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        guard let id = reply.id?.text, let given = book[id] else { return .refused("that answer isn't known any more") }
        if let reason = refusal(in: given.room) { return .refused(reason) }
        if reply.audience == .asker, directChat(with: given.asker) != given.room {
            return .refused("there is no direct chat with who asked")
        }
        if isRedacted(id, in: given.commandRoom) { return .refused("the command was redacted") }
        // What nobody has seen yet is changed where it stands.
        if let queued = given.queued, letters[queued] != nil, sender.isUntouched(queued, in: given.room) {
            if reply.audience == .asker, confidences[queued] == nil {
                confidences[queued] = Confidence(room: given.room)
            }
            letters[queued]?.content.text = reply.text
            letters[queued]?.content.url = reply.url
            letters[queued]?.content.media = nil
            letters[queued]?.media = reply.media
            sender.prepareAnew(given.room)
            return .accepted
        }
        guard given.event != nil || given.queued != nil else { return .refused("that answer was never given") }
        let content = ReplyContent(text: reply.text, url: reply.url, answers: nil, thread: nil)
        let transaction = newTransaction("edit", id)
        if reply.audience == .asker { confidences[transaction] = Confidence(room: given.room) }
        return post(
            Letter(act: .edit, answer: id, content: content, media: reply.media), to: given.room, transaction,
            command: id)
    }

    public func retract(_ answer: AnswerID, for message: ChatMessage) -> SendOutcome {
        let id = answer.text
        guard let given = book[id] else { return .refused("that answer isn't known any more") }
        var isUnderWay = false
        if let queued = given.queued, let letter = letters[queued] {
            switch sender.withdraw(queued, in: given.room) {
            case .dropped where letter.act == .say:
                forget(id)
                return .accepted
            // What it would have changed is there, or comes before this.
            case .dropped, .tooLate: isUnderWay = true
            case .unknown: break
            }
        }
        guard given.event != nil || isUnderWay else { return .refused("that answer was never given") }
        if let reason = refusal(in: given.room) { return .refused(reason) }
        let nothing = ReplyContent(text: "", url: nil, answers: nil, thread: nil)
        return post(
            Letter(act: .redact, answer: id, content: nothing, media: nil), to: given.room,
            newTransaction("redact", id), command: id)
    }

    /// Before the queue has it: it may be sent before `add` returns.
    private func post(_ letter: Letter, to room: String, _ transaction: String, command: String) -> SendOutcome {
        letters[transaction] = letter
        let before = book[letter.answer]?.queued
        book.update(letter.answer) { $0.queued = transaction }
        let event = OutgoingEvent(
            room: room, type: "m.room.message", transactionID: transaction, content: [], answers: command)
        let outcome = enqueue(event)
        if outcome != .accepted {
            letters[transaction] = nil
            book.update(letter.answer) { $0.queued = before }
        }
        return outcome
    }

    private func enqueue(_ event: OutgoingEvent) -> SendOutcome {
        handover.queued(event.answers)
        guard sender.add(event) else {
            confidences[event.transactionID] = nil
            if handover.settled(event.answers) { doneWith(event.answers) }
            return .refused("the room's queue is full")
        }
        return .accepted
    }

    /// No two are alike over restarts either, since the server takes a repeated one for the same event.
    func newTransaction(_ kind: String, _ answer: String) -> String {
        changes += 1
        return "gifbot.\(kind).\(clock.wall.milliseconds).\(changes).\(answer)"
    }

    private func refusal(in roomID: String) -> String? {
        if let haltReason { return haltReason }
        if isOver { return "the account is stopped" }
        guard let session, let room = session.rooms[roomID] else { return "not in the room" }
        if !room.isKnown { return "it isn't known yet whether the room is encrypted" }
        if isEncrypted(roomID), !isEncryptionExpected || room.encryption == nil { return "the room is encrypted" }
        return room.maySpeak(session.userID) ? nil : "not allowed to speak in the room"
    }

    func note(_ answer: String, for message: ChatMessage, _ address: RoomAddress) {
        book.note(
            GivenAnswer(id: answer, room: address.room, thread: address.thread, asker: message.sender.key))
    }

    private func forget(_ answer: String) {
        book.remove(answer)
        if let account = session?.userID { store.forget(answer: answer, of: account) }
    }

    // MARK: From the outbox

    /// Makes the content now: what was changed meanwhile is in it.
    func prepare(_ event: OutgoingEvent) -> Preparation {
        guard mayStillBeRead(event) else { return .nothing }
        if isEncrypted(event.room) { return .later { [weak self] in await self?.sealed(event) ?? .nothing } }
        guard let letter = letters[event.transactionID] else { return .ready(event) }
        guard let media = letter.media else { return whole(event, letter).map { .ready($0) } ?? .nothing }
        if let known = uploads.known(media) {
            letters[event.transactionID]?.media = nil
            letters[event.transactionID]?.content.media = known
            return whole(event, letters[event.transactionID] ?? letter).map { .ready($0) } ?? .nothing
        }
        return .later { [weak self] in
            let content = await self?.uploads.content(for: media) { self?.isPlain(event.room) ?? false }
            guard let self, var letter = letters[event.transactionID] else { return .nothing }
            // It was switched on meanwhile.
            if isEncrypted(event.room) { return await sealed(event) }
            letter.media = nil
            letter.content.media = content
            letters[event.transactionID] = letter
            return whole(event, letter).map { .event($0) } ?? .nothing
        }
    }

    /// Nil when what it is about isn't there.
    func whole(_ event: OutgoingEvent, _ letter: Letter) -> OutgoingEvent? {
        var event = event
        let target = book[letter.answer]?.event
        switch letter.act {
        case .say: event.content = letter.content.json()
        case .edit:
            guard let target else { return nil }
            event.content = letter.content.json(replacing: target)
        case .redact:
            guard let target else { return nil }
            event.type = "m.room.redaction"
            event.redacts = target
        case .mark(let mark):
            guard let target else { return nil }
            event.type = "m.reaction"
            event.content = reactionContent(mark, on: target)
        }
        return event
    }

    func delivered(_ event: OutgoingEvent, as id: String) {
        verificationDelivered(event, as: id)
        guard let letter = letters[event.transactionID] else { return }
        switch letter.act {
        case .say:
            let now = clock.wall
            book.update(letter.answer) { given in
                given.event = id
                given.at = now
            }
            if let account = session?.userID, let given = book[letter.answer] {
                store.save(
                    answer: StoredAnswer(
                        id: given.id, commandRoom: given.commandRoom, room: given.room, thread: given.thread,
                        asker: given.asker, event: id, at: now),
                    of: account)
            }
            if settings.buttons { offerButtons(letter.answer, in: event.room) }
        case .redact: forget(letter.answer)
        case .edit, .mark: break
        }
    }

    private func offerButtons(_ answer: String, in room: String) {
        let nothing = ReplyContent(text: "", url: nil, answers: nil, thread: nil)
        for mark in ReactionMark.offered {
            let transaction = "gifbot.mark.\(mark).\(answer)"
            letters[transaction] = Letter(act: .mark(mark), answer: answer, content: nothing, media: nil)
            let event = OutgoingEvent(
                room: room, type: "m.reaction", transactionID: transaction, content: [], answers: answer)
            if enqueue(event) != .accepted { letters[transaction] = nil }
        }
    }

    func settled(_ event: OutgoingEvent) {
        release(event)
        if handover.settled(event.answers) { doneWith(event.answers) }
    }

    /// It was given up with the whole account, so its command doesn't count as answered. After a stop the command goes on
    /// holding the position back: the next start may still answer it.
    func abandoned(_ event: OutgoingEvent) {
        release(event)
        if !isStopped { handover.abandoned(event.answers) }
    }

    private func release(_ event: OutgoingEvent) {
        confidences[event.transactionID] = nil
        sealedOnly.remove(event.transactionID)
        if let letter = letters.removeValue(forKey: event.transactionID) {
            book.update(letter.answer) { if $0.queued == event.transactionID { $0.queued = nil } }
        }
        manners.settled(event.answers)
    }
}
