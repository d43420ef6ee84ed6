import Base
public import Chat
import IRC

extension IRCAdapter {
    public func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        guard session != nil else { return .refused("not connected") }
        let address = ReplyAddress(message.address)
        let isPrivate = reply.audience == .asker
        if isPrivate, address.nick.isEmpty { return .refused("nobody behind a relay can be told alone") }
        let reference = AnswerReference(
            id: reply.id?.text, request: message.id,
            channel: isPrivate && !message.conversation.isDirect ? address.target : nil)
        let result = withSession { session, effects, now in
            session.say(
                reply.text, to: isPrivate ? address.nick : address.target, notice: isPrivate || reply.kind == .notice,
                as: reference, at: now, &effects)
        }
        apply()
        switch result {
        case .accepted: return .accepted
        case .notOnline, nil: return .refused("not online")
        case .notJoined: return .refused("not in the channel")
        case .silenced: return .refused("the channel does not let us speak")
        case .queueFull: return .refused("too many lines are waiting")
        }
    }

    /// IRC has no way to change what was said.
    public func revise(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        .refused("nothing can be changed here")
    }

    public func retract(_ answer: AnswerID, for message: ChatMessage) -> SendOutcome {
        let result = withSession { session, effects, now in session.retract(answer.text, at: now, &effects) }
        apply()
        switch result {
        case .accepted: return .accepted
        case .notOnline, nil: return .refused("not online")
        case .unknown: return .refused("no such answer is remembered")
        case .unsupported: return .refused("nothing can be taken back here")
        case .queueFull: return .refused("too many lines are waiting")
        }
    }

    /// Noted before the answer is made: lines can't be repeated under one id, so after a crash a command is left out rather than
    /// answered twice.
    public func began(_ message: ChatMessage) {
        if let id = message.id { answered.record(answered: id, in: network, at: clock.wall) }
        guard inSession({ $0.takesTyping }) == true else { return }
        typing.began(ReplyAddress(message.address).target, at: clock.now)
        scheduleTyping()
    }

    public func finished(_ message: ChatMessage) {
        guard !typing.isEmpty else { return }
        let target = ReplyAddress(message.address).target
        let isTold = typing.finished(target)
        if typing.isEmpty { stopTyping() }
        guard isTold else { return }
        withSession { session, effects, now in session.typing(to: target, isOver: true, at: now, &effects) }
        apply()
    }

    /// Nothing ticks while nobody waits.
    func stopTyping() {
        typing.removeAll()
        if let typingTimer { clock.cancel(typingTimer) }
        typingTimer = nil
    }

    private func scheduleTyping() {
        guard typingTimer == nil, let due = typing.nextDue else { return }
        typingTimer = clock.schedule(at: due) { [weak self] in self?.typingDue() }
    }

    private func typingDue() {
        typingTimer = nil
        for target in typing.due(at: clock.now) {
            withSession { session, effects, now in session.typing(to: target, at: now, &effects) }
        }
        apply()
        scheduleTyping()
    }
}
