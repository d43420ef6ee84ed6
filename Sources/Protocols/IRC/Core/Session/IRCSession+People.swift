extension IRCSession {
    mutating func nickChange(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard let sender = message.source.map({ Source(parsing: $0) }), !message.parameter(0).isEmpty else { return }
        let new = message.parameter(0)
        guard isOurs(sender.nick) else {
            let folded = support.casemapping.fold(new)
            people.renamed(
                support.casemapping.fold(sender.nick), to: folded,
                mask: Source(nick: new, user: sender.user, host: sender.host).mask)
            watch(folded)
            nickFreed(sender.nick, isSplit: false, moment, &effects)
            return
        }
        nick = new
        configureRelevance()
        effects.append(.emit(.nickChanged(new)))
        if isOnline { ownNickChanged(at: moment.now, &effects) }
    }

    mutating func quitOfOther(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard let sender = message.source.map({ Source(parsing: $0) }), !isOurs(sender.nick) else { return }
        // After a netsplit the servers tell everybody's account and rank again; until then nobody has any right.
        people.quit(support.casemapping.fold(sender.nick))
        nickFreed(sender.nick, isSplit: Self.isNetsplit(message.parameter(0)), moment, &effects)
    }

    /// The text of a QUIT by a netsplit is two server names; some networks hide them behind `*.net *.split`.
    static func isNetsplit(_ text: String) -> Bool {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 2
            && words.allSatisfy { word in
                word.utf8.contains(UInt8(ascii: ".")) && word.utf8.first != UInt8(ascii: ".")
                    && word.utf8.last != UInt8(ascii: ".")
                    && word.utf8.allSatisfy { !":/!@".utf8.contains($0) }
            }
    }

    mutating func account(_ message: IRCMessage) {
        guard let sender = message.source.map({ Source(parsing: $0) }), !isOurs(sender.nick) else { return }
        setAccount(message.parameter(0), of: sender)
    }

    /// Told by JOIN or ACCOUNT; `*` is none.
    mutating func setAccount(_ account: String, of sender: Source) {
        guard !capabilities.tellsAccounts else { return }
        let folded = support.casemapping.fold(sender.nick)
        guard account != "*", !account.isEmpty else {
            people.forgetAccount(folded)
            return
        }
        people.setAccount(account, of: folded, mask: sender.mask, until: nil)
        watch(folded)
    }

    /// `:gifbot!old@host CHGHOST user host`
    mutating func hostChange(_ message: IRCMessage) {
        guard let sender = message.source.map({ Source(parsing: $0) }), message.parameters.count >= 2 else { return }
        let new = Source(nick: sender.nick, user: message.parameter(0), host: message.parameter(1))
        if isOurs(sender.nick) {
            learnAddress(new)
        } else {
            people.moved(support.casemapping.fold(sender.nick), to: new.mask)
        }
    }

    /// How others see us, on which the room in a line depends.
    mutating func learnAddress(_ source: Source) {
        if let user = source.user, !user.isEmpty { self.user = user }
        if let host = source.host, !host.isEmpty { self.host = host }
    }

    /// From now on what this person does comes through.
    mutating func watch(_ nick: FoldedName) {
        relevance.watch(nick)
        guard relevance.isCrowded else { return }
        relevance.beginWatching(people.count)
        people.forEachNick { relevance.watch($0) }
        watchOurNicks()
    }

    /// `396 nick host :is now your displayed host`, on some servers `user@host`.
    mutating func ownHost(_ message: IRCMessage) {
        guard message.parameters.count >= 2 else { return }
        let parts = message.parameter(1).split(separator: "@", maxSplits: 1)
        guard let last = parts.last else { return }
        host = String(last)
        if parts.count == 2 { user = String(parts[0]) }
    }

    mutating func pong(_ message: IRCMessage, _ moment: Moment) {
        guard let pingToken, message.parameters.last == pingToken else { return }
        self.pingToken = nil
        if let time = message.tag("time").flatMap({ ServerTime.milliseconds($0) }) {
            clockLead = moment.wall - time
            isClockKnown = true
        }
    }

    mutating func serverError(_ message: IRCMessage, _ effects: inout [Effect]) {
        let reason = CloseReason(serverText: message.parameters.last ?? "", beforeWelcome: !isWelcomed)
        if case .quitting = phase {
            close(farewell.map { reason.kind == $0.kind ? reason : $0 } ?? CloseReason(.asked, reason.text), &effects)
            return
        }
        close(reason.kind == .normal ? farewell ?? reason : reason, &effects)
    }

    /// 465 only says that we are banned; why, and for how long, comes with the ERROR right behind it.
    mutating func banned(_ message: IRCMessage, _ moment: Moment) {
        farewell = CloseReason(.banned, message.parameters.last ?? "")
        phase = .quitting(until: moment.now.advanced(by: settings.quitLimit))
    }

    mutating func killed(_ message: IRCMessage, _ effects: inout [Effect]) {
        guard isOurs(message.parameter(0)) else { return }
        close(CloseReason(.killed, message.parameters.last ?? ""), &effects)
    }
}
