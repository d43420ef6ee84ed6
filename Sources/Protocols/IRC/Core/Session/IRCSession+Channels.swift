extension IRCSession {
    /// Numbers by which a JOIN is refused (modern.ircdocs.horse, and what servers use besides).
    static let joinRefusals = [
        "403", "405", "470", "471", "473", "474", "475", "476", "477", "479", "480", "489", "520",
    ]
    /// A name that the server can't accept: no use in trying again.
    private static let badNames: Set<String> = ["476", "479"]
    /// How long nothing is said in a channel that doesn't let us speak.
    private static let silence = Duration.seconds(120)

    mutating func join(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard let sender = message.source.map({ Source(parsing: $0) }) else { return }
        let name = message.parameter(0)
        let channel = support.casemapping.fold(name)
        guard isOurs(sender.nick) else {
            // extended-join: `JOIN #cats account :real name`, `*` for none.
            if message.parameters.count > 1, capabilities.has("extended-join") {
                setAccount(message.parameter(1), of: sender)
            }
            return
        }
        user = sender.user ?? user
        host = sender.host ?? host
        guard channels[channel] != nil else {
            // Forced or forwarded into a channel that nobody configured.
            queue(IRCMessage("PART", [name]), at: moment.now, &effects)
            return
        }
        channels.setJoined(channel, at: moment.now)
        effects.append(.emit(.joined(channel: name)))
    }

    mutating func part(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard let sender = message.source.map({ Source(parsing: $0) }) else { return }
        let name = message.parameter(0)
        let channel = support.casemapping.fold(name)
        if isOurs(sender.nick) {
            guard leave(channel, moment) else { return }
            effects.append(.emit(.left(channel: name)))
        } else {
            people.left(support.casemapping.fold(sender.nick), channel)
        }
    }

    mutating func kick(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let name = message.parameter(0)
        let channel = support.casemapping.fold(name)
        guard isOurs(message.parameter(1)) else {
            people.left(support.casemapping.fold(message.parameter(1)), channel)
            return
        }
        guard leave(channel, moment) else { return }
        let by = message.source.map { Source(parsing: $0).nick } ?? ""
        effects.append(.emit(.kicked(channel: name, by: by, reason: message.parameter(2))))
    }

    /// False if we weren't there. Late answers for the channel are thrown away.
    private mutating func leave(_ channel: FoldedName, _ moment: Moment) -> Bool {
        people.forget(channel)
        guard let entry = channels[channel], entry.isJoined else { return false }
        _ = outbox.drop(for: channel)
        channels.setOut(channel, retry: settings.rejoin, at: moment.now, &random)
        return true
    }

    mutating func invite(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard isOurs(message.parameter(0)) else { return }
        channels.makeReady(support.casemapping.fold(message.parameter(1)))
        pump(at: moment.now, &effects)
    }

    /// `473 nick #cats :text`
    mutating func joinRefused(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let name = message.parameter(1)
        let channel = support.casemapping.fold(name)
        guard let entry = channels[channel], !entry.isJoined else {
            effects.append(.emit(.refused(code: message.command, reason: message.parameters.last ?? "")))
            return
        }
        let isFinal = Self.badNames.contains(message.command)
        channels.setOut(channel, retry: isFinal ? nil : settings.rejoin, at: moment.now, &random)
        effects.append(
            .emit(
                .joinRefused(
                    channel: name, code: message.command, reason: message.parameters.last ?? "", isFinal: isFinal)))
    }

    /// `404 nick #cats :text`: moderated, banned or quieted. The text is lost and not repeated.
    mutating func cannotSpeak(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let name = message.parameter(1)
        if let channel = support.channel(of: name).map({ support.casemapping.fold($0) }) {
            channels.silence(channel, until: moment.now.advanced(by: Self.silence))
            _ = outbox.drop(for: channel)
        }
        effects.append(
            .emit(.cannotSpeak(target: name, code: message.command, reason: message.parameters.last ?? "")))
    }

    /// `353 nick = #cats :@ada +bo gifbot!~gifbot@host`
    mutating func names(_ message: IRCMessage) {
        guard message.parameters.count >= 3, let list = message.parameters.last else { return }
        let channel = support.casemapping.fold(message.parameter(message.parameters.count - 2))
        let signs = support.operatorSigns
        let allSigns = support.ranks.map(\.sign)
        for word in list.utf8.split(separator: 0x20) {
            let bare = word.drop { allSigns.contains($0) }
            let isOperator = word[..<bare.startIndex].contains { signs.contains($0) }
            let isOurs = support.casemapping.equal(bare.prefix { $0 != UInt8(ascii: "!") }, nick.utf8)
            guard isOperator || isOurs else { continue }
            let person = Source(parsing: String(Substring(bare)))
            if isOurs {
                user = person.user ?? user
                host = person.host ?? host
            }
            if isOperator { setOperator(person.nick, in: channel, true) }
        }
    }

    /// `MODE #cats +o-v ada bo`
    mutating func mode(_ message: IRCMessage) {
        guard support.isChannel(message.parameter(0).utf8) else { return }
        let channel = support.casemapping.fold(message.parameter(0))
        let rankModes = support.ranks.map(\.mode)
        var isSet = true
        var next = 2
        for mode in message.parameter(1).utf8 {
            switch mode {
            case UInt8(ascii: "+"): isSet = true
            case UInt8(ascii: "-"): isSet = false
            default:
                let isRank = rankModes.contains(mode)
                guard isRank || support.hasParameter(mode, isSet: isSet) else { continue }
                let parameter = message.parameter(next)
                next += 1
                if support.operatorModes.contains(mode) { setOperator(parameter, in: channel, isSet) }
            }
        }
    }

    private mutating func setOperator(_ nick: String, in channel: FoldedName, _ isOperator: Bool) {
        guard channels[channel] != nil else { return }
        let folded = support.casemapping.fold(nick)
        people.setOperator(folded, in: channel, isOperator)
        if isOperator { relevance.watch(folded) }
    }
}

extension ServerSupport {
    func hasParameter(_ mode: UInt8, isSet: Bool) -> Bool {
        modesWithParameter.contains(mode) || (isSet && modesWithParameterWhenSet.contains(mode))
    }
}
