extension IRCSession {
    /// A bouncer's marks around its history, from `***!znc@znc.in`; without an end mark they hold this long.
    private static let bufferLimit = Duration.seconds(60)
    /// A server's announcement of history has no end mark.
    private static let announcedLimit = Duration.seconds(5)

    /// How long an account told by WHOIS is believed where the server doesn't tell of changes.
    static let accountLifetime = Duration.seconds(600)
    /// Whoever isn't logged in may do so any moment, to be let do something.
    static let strangerLifetime = Duration.seconds(30)
    /// A message this much older than our coming is from before it (milliseconds); the two clocks are compared by PING.
    private static let comingTolerance: Int64 = 5000
    /// The same while nobody knows how far the clocks are apart.
    private static let unknownClockTolerance: Int64 = 60_000

    mutating func privmsg(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard isOnline, message.parameters.count >= 2, let source = message.source else { return }
        let sender = Source(parsing: source)
        guard sender.isPerson else { return }
        if isOurs(sender.nick) {
            echoed(message, sender, moment, &effects)
            return
        }
        let target = message.parameter(0)
        let channel = support.channel(of: target)
        guard channel != nil || isOurs(target) else { return }
        let conversation = channel ?? sender.nick
        // A bouncer's own voices, under names that no person can have.
        if sender.nick.utf8.first == UInt8(ascii: "*") {
            if sender.nick == "***" { bufferMark(message.parameter(1), support.casemapping.fold(target), moment) }
            return
        }
        if let batch = message.tag("batch"), multilines.add(message, to: batch) { return }
        let folded = support.casemapping.fold(conversation)
        let entry = channels[folded]
        // Where we aren't, or aren't meant to be, nothing can be answered.
        guard channel == nil || entry?.isJoined == true,
            let age = liveAge(message, folded, joinedAt: entry?.joinedAt, moment),
            !isUnwanted(message, sender, source)
        else { return }
        if let request = CTCP(parsing: message.parameter(1)) {
            answer(request, to: sender.nick, moment, &effects)
            return
        }
        if let id = message.id, !recentIDs.insert(id) { return }
        if hold(message, sender, isPrivate: channel == nil, age, moment, &effects) { return }
        effects.append(
            .emit(.message(incoming(message, sender, conversation, isPrivate: channel == nil, age: age))))
    }

    /// A message that had to wait goes on.
    mutating func deliver(_ message: IRCMessage, age: Duration, _ effects: inout [Effect]) {
        guard let source = message.source else { return }
        let sender = Source(parsing: source)
        let channel = support.channel(of: message.parameter(0))
        effects.append(
            .emit(
                .message(incoming(message, sender, channel ?? sender.nick, isPrivate: channel == nil, age: age))))
    }

    func isHistory(_ message: IRCMessage) -> Bool {
        message.tag("batch").map { replay.kind($0) == .history } ?? false
    }

    /// How old a message is; nil for history. `joinedAt` is nil for a private one.
    private func liveAge(
        _ message: IRCMessage, _ conversation: FoldedName, joinedAt: Int64?, _ moment: Moment
    ) -> Duration? {
        if let batch = message.tag("batch"), replay.kind(batch) != .live { return nil }
        if replay.hasMarks, replay.isMarked(conversation, at: moment.now) { return nil }
        guard let time = message.tag("time").flatMap({ ServerTime.milliseconds($0) }) else { return .zero }
        // Before we came into the channel, by the server's own clock; or before we came to the server.
        if let joinedAt {
            if time < joinedAt { return nil }
        } else {
            let tolerance = isClockKnown ? Self.comingTolerance : Self.unknownClockTolerance
            if time + clockLead + tolerance < welcomedAt { return nil }
        }
        let age = Duration.milliseconds(max(0, moment.wall - clockLead - time))
        return age > settings.ageLimit ? nil : age
    }

    /// Other bots, and people who are never heard.
    private func isUnwanted(_ message: IRCMessage, _ sender: Source, _ source: String) -> Bool {
        message.tags.contains { $0.name == "bot" || $0.name.hasSuffix("/bot") }
            || (people.hasBots && people.isBot(support.casemapping.fold(sender.nick)))
            || settings.ignored.contains { $0.matches(source, by: support.casemapping) }
                && !isAdmin(message.account ?? rememberedAccount(sender, at: lastHeard))
    }

    /// An admin is always heard: a mask that holds too much must not shut out who could lift it.
    private func isAdmin(_ account: String?) -> Bool {
        account.map { account in settings.admins.contains { support.casemapping.equal($0, account) } } ?? false
    }

    func incoming(
        _ message: IRCMessage, _ sender: Source, _ conversation: String, isPrivate: Bool, age: Duration
    ) -> IncomingMessage {
        let account = message.account ?? rememberedAccount(sender, at: lastHeard)
        let relayed = relayedPerson(account, sender, message.parameter(1))
        let (text, isAddressed) = withoutAddress(Formatting.removed(from: relayed?.text ?? message.parameter(1)))
        return IncomingMessage(
            conversation: conversation, isPrivate: isPrivate,
            replyTarget: isPrivate ? sender.nick : message.parameter(0), nick: relayed?.name ?? sender.nick,
            relayNick: sender.nick,
            user: sender.user ?? "", host: sender.host ?? "", account: account, isRelayed: relayed != nil,
            isOperator: relayed == nil && !isPrivate && isOperator(sender, in: conversation),
            text: text, isAddressed: isAddressed, id: message.id, age: age)
    }

    /// With account-tag a message without the tag is from somebody who isn't logged in.
    func rememberedAccount(_ sender: Source, at now: Tick) -> String? {
        guard people.hasAccounts, !capabilities.tellsAccounts,
            case .account(let name) = people.account(
                of: support.casemapping.fold(sender.nick), mask: sender.mask, at: now)
        else { return nil }
        return name
    }

    private func isOperator(_ sender: Source, in channel: String) -> Bool {
        people.hasOperators
            && people.isOperator(support.casemapping.fold(sender.nick), in: support.casemapping.fold(channel))
    }

    /// A bridge, known by its account or nick. That gives nobody any right, so a nick is enough.
    func isRelay(_ account: String?, _ sender: Source) -> Bool {
        !settings.relays.isEmpty
            && settings.relays.contains { relay in
                support.casemapping.equal(relay, sender.nick)
                    || (account.map { support.casemapping.equal(relay, $0) } ?? false)
            }
    }

    /// `<ada> text` from a bridge is Ada's. A line without a name is the bridge's, but somebody elsewhere may have made it
    /// (the second line of a long message), so it has no rights either.
    private func relayedPerson(_ account: String?, _ sender: Source, _ text: String) -> (name: String, text: String)? {
        guard isRelay(account, sender) else { return nil }
        let plain = Formatting.removed(from: text)
        guard plain.utf8.first == UInt8(ascii: "<"), let end = plain.utf8.firstIndex(of: UInt8(ascii: ">")) else {
            return (sender.nick, text)
        }
        // Bridges put marks of no width into names, so that nobody there is called by them.
        let marks: [Unicode.Scalar] = ["\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{FEFF}"]
        let name = String(
            String.UnicodeScalarView(
                Substring(plain.utf8[..<end].dropFirst()).unicodeScalars.filter { !marks.contains($0) }))
        let rest = plain.utf8[end...].dropFirst().drop { $0 == 0x20 }
        return (name.isEmpty ? sender.nick : name, String(Substring(rest)))
    }

    /// `gifbot: gif owl` and `gifbot, gif owl` without what is in front.
    func withoutAddress(_ text: String) -> (text: String, isAddressed: Bool) {
        let trimmed = text.utf8.drop { $0 == 0x20 }
        guard trimmed.count > nick.utf8.count,
            zip(trimmed, nick.utf8).allSatisfy({
                support.casemapping.folded($0) == support.casemapping.folded($1)
            })
        else { return (text, false) }
        let rest = trimmed.dropFirst(nick.utf8.count)
        guard rest.first == UInt8(ascii: ":") || rest.first == UInt8(ascii: ",") else { return (text, false) }
        return (String(Substring(rest.dropFirst().drop { $0 == 0x20 })), true)
    }

    private mutating func bufferMark(_ text: String, _ conversation: FoldedName, _ moment: Moment) {
        if text.hasPrefix("Buffer Playback") {
            replay.mark(conversation, until: moment.now.advanced(by: Self.bufferLimit))
        } else if text.hasPrefix("Playback Complete") {
            replay.unmark(conversation)
        }
    }

    /// Never answered, whoever sends it: answers to notices are how bots talk to each other for ever.
    mutating func notice(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let sender = message.source.map { Source(parsing: $0) }
        let text = message.parameters.last ?? ""
        if let sender, isOnline, sender.isPerson, isOurs(sender.nick) {
            echoed(message, sender, moment, &effects)
            return
        }
        if !isWelcomed {
            let reason = CloseReason(serverText: text, beforeWelcome: true)
            if reason.kind == .banned || reason.kind == .throttled { farewell = reason }
        } else if let channel = support.channel(of: message.parameter(0)), sender?.isPerson != true,
            text.hasPrefix("Replaying up to ")
        {
            replay.mark(support.casemapping.fold(channel), until: moment.now.advanced(by: Self.announcedLimit))
        } else if let sender, support.casemapping.equal(sender.nick, "NickServ"), regainRefused(text, moment, &effects)
        {
            return
        } else if let sender, support.casemapping.equal(sender.nick, "NickServ") {
            nickServSaid(text, moment, &effects)
        }
    }

    /// In private even when asked in a channel, and at a limited rate for all askers together.
    private mutating func answer(_ request: CTCP, to nick: String, _ moment: Moment, _ effects: inout [Effect]) {
        guard let text = ctcpAnswer(request, moment), ctcpPace.readyAt(0).map({ $0 <= moment.now }) ?? true else {
            return
        }
        ctcpPace.charge(0, at: moment.now)
        guard !outbox.isFull else { return }
        let message = IRCMessage("NOTICE", [nick, CTCP.reply(request.command, text)])
        outbox.append(message.encoded(), .answer(target: support.casemapping.fold(nick)), at: moment.now)
        pump(at: moment.now, &effects)
    }

    private func ctcpAnswer(_ request: CTCP, _ moment: Moment) -> String? {
        switch request.command {
        case "VERSION": settings.version
        case "SOURCE": settings.sourceURL.isEmpty ? nil : settings.sourceURL
        case "CLIENTINFO": "ACTION CLIENTINFO PING SOURCE TIME VERSION"
        case "TIME": ServerTime.text(moment.wall)
        case "PING": request.text.isEmpty ? nil : request.text.cut(toBytes: 64)
        default: nil
        }
    }
}
