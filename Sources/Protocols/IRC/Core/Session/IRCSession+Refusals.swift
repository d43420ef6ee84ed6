/// What the server doesn't let us do, by its numbers (modern.ircdocs.horse, and what servers use besides).
extension IRCSession {
    enum JoinRefusal: Sendable {
        /// Tried again, later each time.
        case later
        /// Only somebody's doing changes it: not before minutes.
        case slow
        /// The server can't accept the name: no use in trying again.
        case never
    }

    static let joinRefusals: [String: JoinRefusal] = [
        "403": .slow,  // no such channel
        "405": .slow,  // too many channels
        "437": .later,  // held for a while after a split
        "470": .slow,  // forwarded to another channel
        "471": .later,  // full
        "473": .later,  // invite only
        "474": .later,  // banned
        "475": .later,  // key
        "476": .never,  // bad name
        "477": .later,  // login needed
        "479": .never,  // bad name
        "480": .slow,  // joined too fast, or a condition we don't meet
        "485": .slow,  // the server keeps us out
        "489": .slow,  // TLS only
        "500": .slow,  // joined too fast
        "520": .slow,  // operators only
    ]

    private static let slowWait = Duration.seconds(120)

    static let replyHandlers: [String: Handler] = [
        "263": { $0.tryAgain($1, $2, &$3) },
        "439": { $0.tryAgain($1, $2, &$3) },
        "401": { $0.noSuchNick($1, $2, &$3) },
        "404": { $0.cannotSpeak($1, $2, &$3) },
        "407": { $0.cannotSpeak($1, $2, &$3) },
        "408": { $0.cannotSpeak($1, $2, &$3) },
        "442": { $0.notThere($1, $2, &$3) },
        "486": { $0.cannotSpeak($1, $2, &$3) },
        "531": { $0.cannotSpeak($1, $2, &$3) },
        "716": { $0.cannotSpeak($1, $2, &$3) },
        "FAIL": { $0.failed($1, $2, &$3) },
        "WARN": { $0.noted($1, &$3) },
        "NOTE": { $0.noted($1, &$3) },
    ]

    /// Servers have more numbers for this than anybody has listed: any error about a channel that we have asked for.
    func isJoinRefusal(_ message: IRCMessage) -> Bool {
        channels[support.casemapping.fold(message.parameter(1))]?.isAsked ?? false
    }

    /// `473 nick #cats :text`
    mutating func joinRefused(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let name = message.parameter(1)
        let channel = support.casemapping.fold(name)
        guard let entry = channels[channel] else {
            effects.append(.emit(.refused(code: message.command, reason: message.parameters.last ?? "")))
            return
        }
        // Some of these numbers also say that we may not speak where we are: 477, 489.
        guard !entry.isJoined else {
            cannotSpeak(message, moment, &effects)
            return
        }
        refuse(channel, name, message.command, message.parameters.last ?? "", at: moment.now, &effects)
    }

    private mutating func refuse(
        _ channel: FoldedName, _ name: String, _ code: String, _ reason: String, at now: Tick,
        _ effects: inout [Effect]
    ) {
        guard let entry = channels[channel] else { return }
        let refusal = Self.joinRefusals[code] ?? .later
        // Thrown out and then kept out: not wanted, so we don't come again by ourselves.
        let isFinal = refusal == .never || entry.isGuest || (entry.wasKicked && code == "474")
        let least = refusal == .slow ? settings.rejoin.map { min(Self.slowWait, $0.longest) } ?? .zero : .zero
        channels.setOut(channel, retry: isFinal ? nil : settings.rejoin, atLeast: least, at: now, &random)
        if entry.isGuest { channels.remove(channel) }
        effects.append(.emit(.joinRefused(channel: name, code: code, reason: reason, isFinal: isFinal)))
    }

    /// Channels that the server has said it can't take aren't asked for.
    mutating func leaveOutImpossible(at now: Tick, _ effects: inout [Effect]) {
        for (channel, isTooLong) in channels.takeImpossible(support) {
            let name = channels[channel]?.name ?? ""
            refuse(
                channel, name, isTooLong ? "479" : "405",
                isTooLong ? "the name is too long for this server" : "the server allows no more channels", at: now,
                &effects)
        }
    }

    /// `404 nick #cats :text`: moderated, banned or quieted. The text is lost and not repeated.
    mutating func cannotSpeak(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        silence(message.parameter(1), message.command, message.parameters.last ?? "", at: moment.now, &effects)
    }

    private mutating func silence(
        _ name: String, _ code: String, _ reason: String, at now: Tick, _ effects: inout [Effect]
    ) {
        if let channel = support.channel(of: name).map({ support.casemapping.fold($0) }) {
            if !(reason.lowercasedASCII.contains("notice") && channels.refuseNotices(channel)) {
                channels.silence(channel, at: now)
                _ = outbox.drop(for: channel)
            }
        } else {
            shutOut(support.casemapping.fold(name), at: now)
        }
        effects.append(.emit(.cannotSpeak(target: name, code: code, reason: reason)))
    }

    /// People who don't take our messages aren't sent any for a while.
    private mutating func shutOut(_ nick: FoldedName, at now: Tick) {
        if shut.count >= 256 { shut = shut.filter { now < $0.value } }
        if shut.count < 256 { shut[nick] = now.advanced(by: ChannelBook.silence) }
        _ = outbox.drop(for: nick)
    }

    func isShut(_ nick: FoldedName, at now: Tick) -> Bool {
        shut.isEmpty ? false : shut[nick].map { now < $0 } ?? false
    }

    /// `401 nick bo :No such nick`, for a message or for WHOIS. They may come back any moment.
    private mutating func noSuchNick(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard support.channel(of: message.parameter(1)) == nil else {
            cannotSpeak(message, moment, &effects)
            return
        }
        let nick = support.casemapping.fold(message.parameter(1))
        _ = outbox.drop(for: nick)
        if !finishInquiry(nick, moment, &effects) {
            effects.append(
                .emit(
                    .cannotSpeak(
                        target: message.parameter(1), code: message.command, reason: message.parameters.last ?? "")))
        }
    }

    /// `442 nick #cats :You're not on that channel`: we thought we were.
    private mutating func notThere(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let name = message.parameter(1)
        guard leave(support.casemapping.fold(name), moment) else { return }
        effects.append(.emit(.left(channel: name)))
    }

    /// `263 nick JOIN :Please wait`, `439 nick #cats :Target change too fast`. Before the welcome it is only a greeting:
    /// some networks begin with `439 * :Please wait while we process your connection`.
    private mutating func tryAgain(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        if isWelcomed { outbox.slowDown(at: moment.now) }
        effects.append(.emit(.refused(code: message.command, reason: message.parameters.last ?? "")))
    }

    /// `FAIL command code context… :text`, which may stand for a numeric (standard-replies).
    private mutating func failed(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let code = message.parameter(1).uppercasedASCII
        let text = message.parameters.last ?? ""
        let context = message.parameters.dropFirst(2).dropLast()
        let channel = context.first { support.channel(of: $0) != nil }
        switch message.parameter(0).uppercasedASCII {
        case "JOIN":
            if let channel, let entry = channels[support.casemapping.fold(channel)], !entry.isJoined {
                refuse(support.casemapping.fold(channel), channel, code, text, at: moment.now, &effects)
                return
            }
        case "PRIVMSG", "NOTICE":
            if let target = channel ?? context.first {
                silence(target, code, text, at: moment.now, &effects)
                return
            }
        case "NICK": if isOnline { nickRefused(IRCMessage("433"), moment, &effects) }
        default: break
        }
        // `ACCOUNT_REQUIRED_TO_CONNECT`, and what servers said before it had that name.
        if !isWelcomed, code.hasPrefix("ACCOUNT_REQUIRED") { farewell = CloseReason(.loginFailed, text) }
        effects.append(.emit(.refused(code: code, reason: text)))
    }

    private func noted(_ message: IRCMessage, _ effects: inout [Effect]) {
        effects.append(.emit(.noted(code: message.parameter(1), text: message.parameters.last ?? "")))
    }
}
