/// Who people are, where their messages don't tell: WHO after we come into a channel, WHOIS when somebody of whom nothing
/// is known gives a command.
extension IRCSession {
    static let inquiryHandlers: [String: Handler] = [
        "311": { session, message, _, _ in session.whoisAddress(message) },
        "330": { session, message, _, _ in session.whoisAccount(message) },
        "335": { session, message, _, _ in
            session.inquiries.note(session.support.casemapping.fold(message.parameter(1))) { $0.isBot = true }
        },
        "318": { session, message, moment, effects in
            _ = session.finishInquiry(session.support.casemapping.fold(message.parameter(1)), moment, &effects)
        },
        "302": { session, message, _, _ in session.userhost(message) },
        "352": { session, message, _, _ in session.who(message) },
        "354": { session, message, moment, _ in session.whox(message, moment) },
    ]

    /// Marks the answers to our own WHO.
    private static let whoToken = "47"

    /// False where messages tell whom they are from, and where no right depends on it.
    private var mayNeedAccounts: Bool {
        !(settings.admins.isEmpty && settings.relays.isEmpty) && !capabilities.tellsAccounts
    }

    /// A relay has no rights, so once it is known as one it may be anybody.
    private func mayNeedAccount(for message: IRCMessage, _ sender: Source) -> Bool {
        mayNeedAccounts && message.account == nil && !isRelay(nil, sender)
            && (!settings.admins.isEmpty || message.parameter(1).utf8.first == UInt8(ascii: "<"))
    }

    /// A question costs a line that an answer could have had, so nobody is asked for because of mere chat.
    private func isLikeCommand(_ message: IRCMessage, isPrivate: Bool) -> Bool {
        var text = Formatting.removed(from: message.parameter(1))
        if !settings.relays.isEmpty, text.utf8.first == UInt8(ascii: "<"),
            let end = text.utf8.firstIndex(of: UInt8(ascii: ">"))
        {
            text = String(Substring(text.utf8[end...].dropFirst()))
        }
        let (rest, isAddressed) = withoutAddress(text)
        return CommandStart(triggers: settings.triggers, words: settings.commands)
            .begins(rest, isAddressed: isAddressed || isPrivate)
    }

    /// A command waits for its sender's account; false if it can go on.
    mutating func hold(
        _ message: IRCMessage, _ sender: Source, isPrivate: Bool, _ age: Duration, _ moment: Moment,
        _ effects: inout [Effect]
    ) -> Bool {
        guard mayNeedAccount(for: message, sender), isLikeCommand(message, isPrivate: isPrivate) else { return false }
        inquiries.forgetUnanswered(at: moment.now)
        guard !inquiries.isFull, !outbox.isFull else { return false }
        let nick = support.casemapping.fold(sender.nick)
        guard people.account(of: nick, mask: sender.mask, at: moment.now) == .unknown else { return false }
        let isNew = inquiries.hold(
            Inquiries.Held(
                message: message, nick: nick, mask: sender.mask, age: age,
                until: moment.now.advanced(by: Inquiries.patience)),
            at: moment.now)
        if isNew { queue(IRCMessage("WHOIS", [sender.nick]), at: moment.now, &effects) }
        return true
    }

    /// `311 gifbot bo user host * :real name`
    private mutating func whoisAddress(_ message: IRCMessage) {
        let found = Source(nick: message.parameter(1), user: message.parameter(2), host: message.parameter(3))
        if isOurs(found.nick) { learnAddress(found) }
        inquiries.note(support.casemapping.fold(found.nick)) { $0.mask = found.mask }
    }

    /// `330 gifbot bo account :is logged in as`
    private mutating func whoisAccount(_ message: IRCMessage) {
        guard message.parameters.count >= 4 else { return }
        inquiries.note(support.casemapping.fold(message.parameter(1))) { $0.account = message.parameter(2) }
    }

    /// False if WHOIS wasn't asked by us.
    mutating func finishInquiry(_ nick: FoldedName, _ moment: Moment, _ effects: inout [Effect]) -> Bool {
        guard let (finding, held) = inquiries.finish(nick) else { return false }
        if finding.isBot {
            people.setBot(nick)
            watch(nick)
            return true
        }
        people.forgetOldAccounts(at: moment.now)
        if let mask = finding.mask, mask == finding.asker || held.contains(where: { $0.mask == mask }) {
            let lifetime = finding.account == nil ? Self.strangerLifetime : Self.accountLifetime
            let until = moment.now.advanced(by: lifetime)
            people.setAccount(finding.account, of: nick, mask: mask, until: until)
            watch(nick)
        }
        for command in held { deliver(command.message, age: command.age, &effects) }
        return true
    }

    /// The server doesn't answer: better a command without a right than none.
    mutating func releaseExpired(at now: Tick, _ effects: inout [Effect]) {
        guard let due = inquiries.nextDue, due <= now else { return }
        for command in inquiries.expired(at: now) {
            deliver(command.message, age: command.age, &effects)
        }
    }

    /// `302 gifbot :gifbot=+~gifbot@host`
    private mutating func userhost(_ message: IRCMessage) {
        for entry in (message.parameters.last ?? "").split(separator: " ") {
            let parts = entry.split(separator: "=", maxSplits: 1)
            // An operator of the network has a star behind the nick.
            guard parts.count == 2, isOurs(String(parts[0].prefix { $0 != "*" })) else { continue }
            let address = parts[1].dropFirst().split(separator: "@", maxSplits: 1)
            guard address.count == 2 else { continue }
            learnAddress(Source(nick: nick, user: String(address[0]), host: String(address[1])))
        }
    }

    /// We came into a channel: its people are asked for when nothing else waits.
    mutating func askLater(_ channel: FoldedName, _ moment: Moment, _ effects: inout [Effect]) {
        let asksAccounts = mayNeedAccounts && support.hasWhox
        // The mark of a bot comes with each message where there are tags.
        let asksBots = support.botMode != nil && !capabilities.has("message-tags")
        guard asksAccounts || asksBots, !unasked.contains(channel) else { return }
        unasked.append(channel)
        pump(at: moment.now, &effects)
    }

    var askDeadline: Tick? {
        unasked.isEmpty || outbox.count > 0 || mayJoin ? nil : outbox.readyAt(Self.whoLength) ?? lastHeard
    }

    private static let whoLength = Pace.bytesOfOneLine / 4

    mutating func askAboutPeople(at now: Tick, _ effects: inout [Effect]) {
        while !unasked.isEmpty, outbox.count == 0, !mayJoin, outbox.mayPass(Self.whoLength, at: now) {
            guard let entry = channels[unasked.removeFirst()], entry.isJoined else { continue }
            let fields = support.hasWhox ? [entry.name, "%tuhnfa,\(Self.whoToken)"] : [entry.name]
            sendNow(IRCMessage("WHO", fields), at: now, &effects)
        }
    }

    /// `354 gifbot 47 user host nick flags account`, where `0` is no account.
    private mutating func whox(_ message: IRCMessage, _ moment: Moment) {
        guard message.parameters.count >= 7, message.parameter(1) == Self.whoToken else { return }
        let person = Source(nick: message.parameter(4), user: message.parameter(2), host: message.parameter(3))
        if isOurs(person.nick) {
            learnAddress(person)
            return
        }
        noteBot(person.nick, flags: message.parameter(5))
        let account = message.parameter(6)
        guard !capabilities.tellsAccounts, account != "0", account != "*" else { return }
        let nick = support.casemapping.fold(person.nick)
        let until =
            capabilities.has("account-notify") ? nil : moment.now.advanced(by: Self.accountLifetime)
        people.setAccount(account, of: nick, mask: person.mask, until: until)
        watch(nick)
    }

    /// `352 gifbot #cats user host server nick flags :hops real name`
    private mutating func who(_ message: IRCMessage) {
        guard message.parameters.count >= 7 else { return }
        let person = Source(nick: message.parameter(5), user: message.parameter(2), host: message.parameter(3))
        if isOurs(person.nick) { learnAddress(person) } else { noteBot(person.nick, flags: message.parameter(6)) }
    }

    private mutating func noteBot(_ nick: String, flags: String) {
        guard let mark = support.botMode, flags.contains(mark) else { return }
        let folded = support.casemapping.fold(nick)
        people.setBot(folded)
        watch(folded)
    }
}
