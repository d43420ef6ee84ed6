import Base
import Chat
import RateLimiter

extension Bot {
    /// A line that isn't an answer, said to one person a few times a minute at most.
    func hint(_ text: String, _ request: Request) {
        guard mayHint(request) else { return }
        notice(text, request)
    }

    /// What came of the words themselves: it takes the place that a GIF would have had. A mark has no words, and the GIF
    /// that it was put on stays when there is no other.
    func result(_ text: String, _ request: Request) {
        guard request.isRevision, !request.isMark else { return hint(text, request) }
        guard mayHint(request), let reply = noticeReply(text, request, id: request.id), deliver(reply, request) else {
            return
        }
        noteNotice(request)
    }

    private func mayHint(_ request: Request) -> Bool {
        if hints.allows(request.sender, on: request.conversation.network, at: clock.now) { return true }
        counts.silenced += 1
        return false
    }

    /// Told once a window, to the asker alone where the protocol can.
    func tell(_ refusal: Refusal, _ request: Request) {
        guard admission.mayTell(refusal, request.message, at: clock.now) else {
            counts.silenced += 1
            return
        }
        if aside(Sentences.limitReached(refusal), request) == .conversation {
            admission.toldAll(refusal, request.message)
        }
    }

    /// Trouble with the sources, said once a window in each conversation.
    func trouble(_ kind: TroubleWindows.Trouble, _ text: String, lasting wait: Duration?, _ request: Request) {
        if troubles.mayTell(kind, in: request.conversation, lasting: wait, at: clock.now) {
            notice(text, request)
        } else {
            counts.silenced += 1
        }
    }

    /// Said so that no other bot reacts. It goes with the command when that is taken back.
    func notice(_ text: String, _ request: Request) {
        let id = request.isRevision ? nil : request.id
        guard let reply = noticeReply(text, request, id: id) else { return }
        switch request.adapter.send(reply, to: request.message) {
        case .accepted: if id != nil { noteNotice(request) }
        case .refused(let reason): notSent(reason, request)
        }
    }

    /// A notice for the asker alone; false where that can't be.
    func whisper(_ text: String, _ request: Request) -> Bool {
        guard mayHint(request), let reply = noticeReply(text, request, audience: .asker) else { return true }
        switch request.adapter.send(reply, to: request.message) {
        case .accepted: return true
        case .refused(let reason):
            notSent(reason, request)
            return false
        }
    }

    private func noticeReply(
        _ text: String, _ request: Request, audience: Reply.Audience = .conversation, id: AnswerID? = nil
    ) -> Reply? {
        let line = CutText.fit(text, budget: request.adapter.textBudget(for: request.message))
        return line.isEmpty ? nil : Reply(kind: .notice, audience: audience, text: line, url: nil, id: id)
    }

    /// Only a protocol with ids can tell later which command was changed or taken back.
    private func noteNotice(_ request: Request) {
        guard request.message.id != nil else { return }
        book.noteNotice(
            AnswerRecord(
                id: request.id, asker: request.person, text: request.message.text, at: clock.now, isAnswered: true),
            in: request.conversation)
    }

    /// Sends a reply, or puts it where another stands.
    func deliver(_ reply: Reply, _ request: Request) -> Bool {
        let outcome =
            switch request.place {
            case .new: request.adapter.send(reply, to: request.message)
            case .instead(let orNew): revise(reply, request, orNew: orNew)
            }
        switch outcome {
        case .accepted: return true
        case .refused(let reason):
            notSent(reason, request)
            return false
        }
    }

    private func revise(_ reply: Reply, _ request: Request, orNew: Bool) -> SendOutcome {
        switch request.adapter.revise(reply, to: request.message) {
        case .accepted: .accepted
        case .refused(let reason): orNew ? request.adapter.send(reply, to: request.message) : .refused(reason)
        }
    }

    /// Said to the asker alone where the protocol can, else to all; gives who hears it.
    @discardableResult
    func aside(_ text: String, _ request: Request) -> Reply.Audience {
        let line = CutText.fit(text, budget: request.adapter.textBudget(for: request.message))
        guard !line.isEmpty else { return .asker }
        let reply = Reply(kind: .notice, audience: .asker, text: line, url: nil)
        if request.adapter.send(reply, to: request.message) == .accepted { return .asker }
        notice(text, request)
        return .conversation
    }

    /// Goes on when what was noted so far is on disk. `isKept` is false when the disk takes nothing now, which holds nobody up.
    func afterWriting(_ request: Request, _ goOn: @escaping @Loop @Sendable (_ isKept: Bool) -> Void) {
        startWaiting(request) { goOn(await self.store.written()) }
    }

    func notSent(_ reason: String, _ request: Request) {
        counts.notSent += 1
        log.debug("not sent", ["network": request.conversation.network, "reason": reason])
    }
}
