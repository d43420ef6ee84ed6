extension IRCSession {
    mutating func nickChange(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard let sender = message.source.map({ Source(parsing: $0) }), !message.parameter(0).isEmpty else { return }
        let new = message.parameter(0)
        guard isOurs(sender.nick) else {
            people.renamed(support.casemapping.fold(sender.nick), to: support.casemapping.fold(new))
            relevance.watch(support.casemapping.fold(new))
            nickFreed(sender.nick, moment, &effects)
            return
        }
        nick = new
        configureRelevance()
        effects.append(.emit(.nickChanged(new)))
        guard isOnline else { return }
        if isOurs(settings.nick) {
            regainAt = nil
        } else if regainAt == nil {
            regainAt = moment.now.advanced(by: random.spread(.seconds(120)))
        }
    }

    mutating func quitOfOther(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard let sender = message.source.map({ Source(parsing: $0) }) else { return }
        people.quit(support.casemapping.fold(sender.nick))
        nickFreed(sender.nick, moment, &effects)
    }

    /// Whoever held our nick is gone.
    private mutating func nickFreed(_ freed: String, _ moment: Moment, _ effects: inout [Effect]) {
        guard isOnline, regainAt != nil, support.casemapping.equal(freed, settings.nick) else { return }
        regainNick(at: moment.now, &effects)
    }

    mutating func account(_ message: IRCMessage) {
        guard let sender = message.source.map({ Source(parsing: $0) }), !isOurs(sender.nick) else { return }
        setAccount(message.parameter(0), of: sender)
    }

    mutating func setAccount(_ account: String, of sender: Source) {
        guard !capabilities.tellsAccounts else { return }
        people.setAccount(
            account == "*" || account.isEmpty ? nil : account, of: support.casemapping.fold(sender.nick),
            address: sender.mask)
    }

    /// `:gifbot!old@host CHGHOST user host`
    mutating func hostChange(_ message: IRCMessage) {
        guard let sender = message.source.map({ Source(parsing: $0) }), message.parameters.count >= 2 else { return }
        if isOurs(sender.nick) {
            user = message.parameter(0)
            host = message.parameter(1)
        }
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
        if let time = message.tag("time").flatMap({ ServerTime.milliseconds($0) }) { clockLead = moment.wall - time }
    }

    mutating func serverError(_ message: IRCMessage, _ effects: inout [Effect]) {
        if case .quitting = phase {
            close(CloseReason(.asked, message.parameters.last ?? ""), &effects)
            return
        }
        let reason = CloseReason(serverText: message.parameters.last ?? "", beforeWelcome: !isWelcomed)
        close(reason.kind == .normal ? farewell ?? refusedEarly(reason) : reason, &effects)
    }

    /// Before the welcome an error without a known word is a refusal like any other: no quick return.
    private func refusedEarly(_ reason: CloseReason) -> CloseReason {
        isWelcomed ? reason : CloseReason(.throttled, reason.text)
    }

    mutating func killed(_ message: IRCMessage, _ effects: inout [Effect]) {
        guard isOurs(message.parameter(0)) else { return }
        close(CloseReason(.killed, message.parameters.last ?? ""), &effects)
    }
}
