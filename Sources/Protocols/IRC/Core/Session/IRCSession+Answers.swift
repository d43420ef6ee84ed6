/// What an answer refers to (reply, channel-context).
public struct AnswerReference: Equatable, Sendable {
    /// By which it can be taken back; nil for what nobody will want back.
    public var id: String?
    /// The server's id of the message that is answered.
    public var request: String?
    /// The channel where a private answer was asked for.
    public var channel: String?

    public init(id: String? = nil, request: String? = nil, channel: String? = nil) {
        self.id = id
        self.request = request
        self.channel = channel
    }
}

extension IRCSession {
    public enum RetractResult: Equatable, Sendable {
        /// Dropped before it was sent, or the server was asked to remove it.
        case accepted
        case notOnline
        /// No such answer is remembered.
        case unknown
        /// The server can't take messages back, or never told us the id of this one.
        case unsupported
        case queueFull
    }

    /// Says one line to a channel we are in, or to a nick. What doesn't fit `textBudget` is cut off.
    public mutating func say(
        _ text: String, to target: String, notice: Bool, as reference: AnswerReference = AnswerReference(),
        at now: ContinuousClock.Instant, _ effects: inout [Effect]
    ) -> SayResult {
        guard isOnline else { return .notOnline }
        let now = origin.tick(now)
        var folded = support.casemapping.fold(target)
        if let channel = support.channel(of: target) {
            folded = support.casemapping.fold(channel)
            guard let entry = channels[folded], entry.isJoined else { return .notJoined }
            if entry.isSilenced(at: now) || (notice && entry.takesNoNotices) { return .silenced }
        } else if isShut(folded, at: now) {
            return .silenced
        }
        dropOldAnswers(at: now, &effects)
        guard !outbox.isFull else { return .queueFull }
        let fitting = Formatting.removed(from: text).cutBeforeURL(toBytes: textBudget(for: target, notice: notice))
        var message = IRCMessage(notice ? "NOTICE" : "PRIVMSG", [target, fitting])
        var number: UInt32?
        if let id = reference.id {
            number = answers.add(id, to: target, capabilities.tellsOwnIDs ? fitting : "")
        }
        if capabilities.hasTags || capabilities.hasLabels { message.tags = tags(reference, number) }
        let dropped = outbox.append(
            message.encoded(), .answer(target: folded, number: number), at: now)
        if dropped > 0 { effects.append(.emit(.answersDropped(dropped))) }
        pump(at: now, &effects)
        return .accepted
    }

    /// Without `message-tags` a tag makes the line an unknown command on some servers.
    private func tags(_ reference: AnswerReference, _ number: UInt32?) -> [IRCMessage.Tag] {
        var tags: [IRCMessage.Tag] = []
        if let number, capabilities.hasLabels {
            tags.append(IRCMessage.Tag("label", SentAnswers.label(number)))
        }
        guard capabilities.hasTags else { return tags }
        if let request = reference.request { append("reply", request, to: &tags) }
        // The tag holds a channel and nothing else, where the command may have gone to its operators alone (`@#cats`).
        if let channel = reference.channel.flatMap({ support.channel(of: $0) }) {
            append("channel-context", channel, to: &tags)
        }
        return tags
    }

    /// The tag's final name, and the one that older clients read.
    private func append(_ name: String, _ value: String, to tags: inout [IRCMessage.Tag]) {
        for name in [name, "draft/" + name] where support.clientTags.allows(name) {
            tags.append(IRCMessage.Tag("+" + name, value))
        }
    }

    /// Whether the server passes on that somebody is typing.
    public var takesTyping: Bool { isOnline && capabilities.hasTags && support.clientTags.allows("typing") }

    /// Tells a conversation that we are working on something (typing). Dropped unless it costs nobody anything: the server
    /// takes it, and nothing waits to be sent.
    public mutating func typing(
        to target: String, isOver: Bool = false, at now: ContinuousClock.Instant, _ effects: inout [Effect]
    ) {
        let now = origin.tick(now)
        guard takesTyping, outbox.count == 0, !mayJoin, outbox.mayPass(2 * Pace.bytesOfOneLine, at: now) else { return }
        if let channel = support.channel(of: target).map({ support.casemapping.fold($0) }) {
            guard let entry = channels[channel], entry.isJoined, !entry.isSilenced(at: now) else { return }
        }
        sendNow(
            IRCMessage("TAGMSG", [target], tags: [IRCMessage.Tag("+typing", isOver ? "done" : "active")]), at: now,
            &effects)
    }

    /// Takes back what was said under `id`: what still waits is dropped, what others have seen is redacted
    /// (message-redaction).
    public mutating func retract(
        _ id: String, at now: ContinuousClock.Instant, _ effects: inout [Effect]
    ) -> RetractResult {
        guard isOnline else { return .notOnline }
        let now = origin.tick(now)
        let found = answers.all(id)
        guard !found.isEmpty else { return .unknown }
        return found.reduce(.unsupported) { result, answer in
            let one = retract(answer, at: now, &effects)
            return result == .accepted ? result : one
        }
    }

    private mutating func retract(
        _ answer: SentAnswers.Answer, at now: Tick, _ effects: inout [Effect]
    ) -> RetractResult {
        if outbox.drop(number: answer.number) {
            answers.forget(answer.number)
            return .accepted
        }
        guard capabilities.has("draft/message-redaction") else { return .unsupported }
        if let id = answer.messageID {
            guard !outbox.isFull else { return .queueFull }
            redact(answer, id, at: now, &effects)
            return .accepted
        }
        guard capabilities.tellsOwnIDs else { return .unsupported }
        answers.takeBack(answer.number)
        return .accepted
    }

    /// Its target is a nick or a channel: what went to `@#cats` is taken back in `#cats`.
    private mutating func redact(
        _ answer: SentAnswers.Answer, _ id: String, at now: Tick, _ effects: inout [Effect]
    ) {
        let target = support.channel(of: answer.target) ?? answer.target
        queue(IRCMessage("REDACT", [target, id]), at: now, &effects)
        answers.forget(answer.number)
    }

    /// Our own message as others received it: our address, and the message's id.
    mutating func echoed(_ message: IRCMessage, _ sender: Source, _ moment: Moment, _ effects: inout [Effect]) {
        guard !isHistory(message) else { return }
        let target = message.parameter(0)
        // Between a bouncer's marks it may be a line of earlier, and the address an old one.
        let conversation = support.casemapping.fold(support.channel(of: target) ?? target)
        if !replay.isMarked(conversation, at: moment.now) { learnAddress(sender) }
        guard let id = message.id, message.parameters.count >= 2 else { return }
        let answer = answers.echoed(
            label: message.tag("label"), target: target, text: message.parameter(1), id: id,
            by: support.casemapping)
        guard let answer else { return }
        redact(answer, id, at: moment.now, &effects)
    }

    /// `:bo!b@h REDACT #cats msgid :reason`; the server has made sure that they may.
    mutating func redacted(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard isOnline, let source = message.source, !isHistory(message) else { return }
        let sender = Source(parsing: source)
        let id = message.parameter(1)
        guard sender.isPerson, !isOurs(sender.nick), recentIDs.contains(id) else { return }
        // Nobody has heard of a command that waits for its sender's account.
        if inquiries.drop(id) { return }
        let channel = support.channel(of: message.parameter(0))
        let change = IRCMessage(
            "PRIVMSG", [message.parameter(0), ""], source: source,
            tags: message.tags.filter { $0.name == "account" } + [IRCMessage.Tag("msgid", id)])
        effects.append(
            .emit(
                .redacted(
                    incoming(change, sender, channel ?? sender.nick, isPrivate: channel == nil, age: .zero))))
    }
}
