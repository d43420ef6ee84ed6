extension IRCSession {
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
        learnAddress(sender)
        guard channels[channel] != nil else {
            // Forced or forwarded into a channel that nobody configured.
            guard support.isChannel(name.utf8) else { return }
            channels.leave(name)
            pump(at: moment.now, &effects)
            return
        }
        channels.setJoined(
            channel, at: moment.now, time: message.tag("time").flatMap { ServerTime.milliseconds($0) })
        effects.append(.emit(.joined(channel: name)))
        askLater(channel, moment, &effects)
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
        channels.noteKick(channel)
        let by = message.source.map { Source(parsing: $0).nick } ?? ""
        effects.append(.emit(.kicked(channel: name, by: by, reason: message.parameter(2))))
    }

    /// False if we weren't there. Late answers for the channel are thrown away.
    mutating func leave(_ channel: FoldedName, _ moment: Moment) -> Bool {
        people.forget(channel)
        guard let entry = channels[channel], entry.isJoined else { return false }
        _ = outbox.drop(for: channel)
        unasked.removeAll { $0 == channel }
        if entry.isGuest {
            channels.remove(channel)
        } else {
            channels.setOut(channel, retry: settings.rejoin, at: moment.now, &random)
        }
        return true
    }

    /// Only into configured channels, or by an admin: anybody can invite us anywhere.
    mutating func invite(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard isOurs(message.parameter(0)) else { return }
        let name = message.parameter(1)
        let channel = support.casemapping.fold(name)
        if channels[channel] == nil {
            guard support.isChannel(name.utf8), isFromAdmin(message, at: moment.now),
                channels.addGuest(name, as: channel)
            else { return }
        }
        channels.makeReady(channel)
        pump(at: moment.now, &effects)
    }

    private func isFromAdmin(_ message: IRCMessage, at now: Tick) -> Bool {
        guard let sender = message.source.map({ Source(parsing: $0) }),
            let account = message.account ?? rememberedAccount(sender, at: now)
        else { return false }
        return settings.admins.contains { support.casemapping.equal($0, account) }
    }

    /// `353 nick = #cats :@ada +bo gifbot!~gifbot@host`, with all signs of each (multi-prefix) or the highest.
    mutating func names(_ message: IRCMessage) {
        guard message.parameters.count >= 3, let list = message.parameters.last else { return }
        let channel = support.casemapping.fold(message.parameter(message.parameters.count - 2))
        let allSigns = support.ranks.map(\.sign)
        for word in list.utf8.split(separator: 0x20) {
            let bare = word.drop { allSigns.contains($0) }
            let bits = word[..<bare.startIndex].reduce(0) { $0 | support.rankBit(sign: $1) }
            let isOurs = support.casemapping.equal(bare.prefix { $0 != UInt8(ascii: "!") }, nick.utf8)
            guard bits != 0 || isOurs else { continue }
            let person = Source(parsing: String(Substring(bare)))
            if isOurs { learnAddress(person) }
            guard bits != 0, channels[channel] != nil else { continue }
            let folded = support.casemapping.fold(person.nick)
            people.setRanks(bits, of: folded, in: channel)
            watch(folded)
        }
    }

    /// `MODE #cats +o-v ada bo`
    mutating func mode(_ message: IRCMessage) {
        guard support.isChannel(message.parameter(0).utf8) else { return }
        let channel = support.casemapping.fold(message.parameter(0))
        guard channels[channel] != nil else { return }
        let rankModes = support.ranks.map(\.mode)
        var isSet = true
        var next = 2
        for mode in message.parameter(1).utf8 {
            switch mode {
            case UInt8(ascii: "+"): isSet = true
            case UInt8(ascii: "-"): isSet = false
            default:
                let isRank = rankModes.contains(mode)
                guard isRank || support.hasParameter(mode, isSet: isSet) else {
                    // Perhaps it was what kept us silent: +m, +M, +T, or what else this server has.
                    if !isSet { channels.unsilence(channel) }
                    continue
                }
                let parameter = message.parameter(next)
                next += 1
                if isRank { rankChanged(mode, of: parameter, in: channel, isSet) }
                // A ban or a quiet is gone; perhaps it was ours.
                if !isRank, !isSet { channels.unsilence(channel) }
            }
        }
    }

    private mutating func rankChanged(_ mode: UInt8, of nick: String, in channel: FoldedName, _ isSet: Bool) {
        if isSet, isOurs(nick) { channels.unsilence(channel) }
        let bit = support.rankBit(mode: mode)
        guard bit != 0 else { return }
        let folded = support.casemapping.fold(nick)
        people.setRank(bit, of: folded, in: channel, isSet)
        if isSet { watch(folded) }
    }
}

extension ServerSupport {
    func hasParameter(_ mode: UInt8, isSet: Bool) -> Bool {
        modesWithParameter.contains(mode) || (isSet && modesWithParameterWhenSet.contains(mode))
    }
}
