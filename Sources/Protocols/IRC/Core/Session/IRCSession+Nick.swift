extension IRCSession {
    /// Between two looks whether the nick is free, where the server doesn't tell by itself.
    private static let lookInterval = Duration.seconds(60)
    /// Services need a moment; when they have done nothing by then, the nick is tried for.
    private static let servicesLimit = Duration.seconds(15)

    static let nickHandlers: [String: Handler] = [
        "400": { $0.notDone($1, $2, &$3) },
        "432": { $0.nickRefused($1, $2, &$3) },
        "433": { $0.nickRefused($1, $2, &$3) },
        "435": { $0.nickRefused($1, $2, &$3) },
        "436": { $0.nickRefused($1, $2, &$3) },
        "437": { $0.unavailable($1, $2, &$3) },
        "438": { $0.nickRefused($1, $2, &$3) },
        "447": { $0.nickRefused($1, $2, &$3) },
        "303": { $0.nicksThere($1, $2, &$3) },
        "731": { $0.nicksGone($1, $2, &$3) },
        "734": { session, _, _, _ in session.nickWatch.unknownCommand("MONITOR") },
    ]

    /// The configured nick as this server can hold it: some cut a long one off without a word.
    var wantedNick: String {
        support.nickLength.map { settings.nick.cut(toBytes: $0) } ?? settings.nick
    }

    /// `437 nick #cats :text`; about a channel that we are in it says that we can't change our nick while banned there.
    mutating func unavailable(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let channel = support.channel(of: message.parameter(1)).map { support.casemapping.fold($0) }
        if let channel, channels[channel]?.isJoined != true {
            joinRefused(message, moment, &effects)
        } else {
            nickRefused(message, moment, &effects)
        }
    }

    /// `400 nick NICK :text`, the number for what has no other.
    private mutating func notDone(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        if message.parameter(1).uppercasedASCII == "NICK" {
            nickRefused(message, moment, &effects)
        } else {
            effects.append(.emit(.refused(code: message.command, reason: message.parameters.last ?? "")))
        }
    }

    /// The nick in the refusal isn't looked at: it need not be spelt as ours was.
    mutating func nickRefused(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering(var registration) = phase, !isWelcomed else {
            if isOnline { laterRefused(message.command, at: moment.now) }
            return
        }
        guard let next = alternativeNick(registration.nicksTried) else {
            sendNow(IRCMessage("QUIT", ["no nick"]), at: moment.now, &effects)
            close(CloseReason(.normal, "every nick is taken or refused: " + (message.parameters.last ?? "")), &effects)
            return
        }
        registration.nicksTried += 1
        phase = .registering(registration)
        sendNow(IRCMessage("NICK", [next]), at: moment.now, &effects)
    }

    /// The configured ones, then the first with a number behind; within 9 characters where the name allows, the least
    /// that any server takes, since ours tells its limit only after the welcome.
    private func alternativeNick(_ tried: Int) -> String? {
        let configured = settings.alternativeNicks
        if tried <= configured.count { return configured[tried - 1] }
        let number = tried - configured.count
        guard number <= 20 else { return nil }
        let limit = support.nickLength ?? max(9, settings.nick.utf8.count)
        return settings.nick.cut(toBytes: limit - String(number).utf8.count) + String(number)
    }

    private mutating func laterRefused(_ code: String, at now: Tick) {
        guard nickWatch.askedSince != nil else { return }
        nickWatch.askedSince = nil
        nickWatch.refusals += 1
        // What the server doesn't take for a nick today it won't take tomorrow.
        nickWatch.nextTry = code == "432" ? nil : now.advanced(by: random.spread(nickWatch.wait))
    }

    /// We have another nick than we want.
    mutating func watchNick(at now: Tick, _ effects: inout [Effect]) {
        if support.hasMonitor, nickWatch.hasMonitor, !nickWatch.isMonitored {
            nickWatch.isMonitored = true
            queue(IRCMessage("MONITOR", ["+", wantedNick]), at: now, &effects)
        }
        guard nickWatch.nextTry == nil else { return }
        nickWatch.services = .unasked
        let usual = isLoggedIn ? Self.servicesLimit : Self.lookInterval
        let wait = nickWatch.refusals == 0 ? usual : max(usual, nickWatch.wait)
        nickWatch.nextTry = now.advanced(by: random.spread(wait))
    }

    /// We have a new nick, by our wish or not.
    mutating func ownNickChanged(at now: Tick, _ effects: inout [Effect]) {
        nickWatch.askedSince = nil
        guard isOurs(wantedNick) else {
            // Whoever takes our nick away does so again when we are quick.
            nickWatch.refusals += 1
            watchNick(at: now, &effects)
            return
        }
        if nickWatch.isMonitored { queue(IRCMessage("MONITOR", ["-", wantedNick]), at: now, &effects) }
        nickWatch.isMonitored = false
        nickWatch.nextTry = nil
    }

    mutating func tryForNick(at now: Tick, _ effects: inout [Effect]) {
        guard !isOurs(wantedNick) else {
            nickWatch.nextTry = nil
            return
        }
        if isLoggedIn, nickWatch.services == .unasked {
            nickWatch.services = .regain
            nickWatch.nextTry = now.advanced(by: Self.servicesLimit)
            queue(IRCMessage("PRIVMSG", ["NickServ", "REGAIN \(wantedNick)"]), at: now, &effects)
        } else if nickWatch.isMonitored {
            // The server tells when it is free; it is tried for now and then all the same.
            takeNick(at: now, &effects)
        } else if nickWatch.hasISON {
            nickWatch.nextTry = now.advanced(by: random.spread(Self.lookInterval))
            queue(IRCMessage("ISON", [wantedNick]), at: now, &effects)
        } else {
            takeNick(at: now, &effects)
        }
    }

    private mutating func takeNick(at now: Tick, _ effects: inout [Effect]) {
        // A server that says nothing, or by a number that isn't known here, has refused it too.
        if nickWatch.askedSince != nil, !nickWatch.isAsking(at: now) { nickWatch.refusals += 1 }
        nickWatch.nextTry = now.advanced(by: random.spread(nickWatch.wait))
        guard isOnline, !isOurs(wantedNick), !nickWatch.isAsking(at: now) else { return }
        nickWatch.askedSince = now
        sendNow(IRCMessage("NICK", [wantedNick]), at: now, &effects)
    }

    /// Whoever held our nick is gone. After a netsplit they will be back, and two of a name are both thrown out.
    mutating func nickFreed(_ freed: String, isSplit: Bool, _ moment: Moment, _ effects: inout [Effect]) {
        guard isOnline, nickWatch.nextTry != nil, support.casemapping.equal(freed, wantedNick), !isSplit else {
            return
        }
        takeNick(at: moment.now, &effects)
    }

    /// `303 gifbot2 :those of the nicks asked for who are there`
    private mutating func nicksThere(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard isOnline, nickWatch.nextTry != nil else { return }
        let there = message.parameters.dropFirst().flatMap { $0.split(separator: " ") }
        if there.contains(where: { support.casemapping.equal(String($0), wantedNick) }) { return }
        takeNick(at: moment.now, &effects)
    }

    /// `731 gifbot2 :gifbot,other`
    private mutating func nicksGone(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard isOnline, nickWatch.nextTry != nil, let list = message.parameters.last else { return }
        let gone = list.split(separator: ",").map { Source(parsing: String($0)).nick }
        if gone.contains(where: { support.casemapping.equal($0, wantedNick) }) { takeNick(at: moment.now, &effects) }
    }

    /// Not all services know REGAIN; then GHOST removes who holds the nick. True if the notice was about that.
    mutating func regainRefused(_ text: String, _ moment: Moment, _ effects: inout [Effect]) -> Bool {
        guard isOnline, nickWatch.services == .regain else { return false }
        let lower = text.lowercasedASCII
        guard ["unknown command", "invalid command", "no such command"].contains(where: { lower.contains($0) }) else {
            return false
        }
        nickWatch.services = .ghost
        nickWatch.nextTry = moment.now.advanced(by: .seconds(5))
        queue(IRCMessage("PRIVMSG", ["NickServ", "GHOST \(wantedNick)"]), at: moment.now, &effects)
        return true
    }
}
