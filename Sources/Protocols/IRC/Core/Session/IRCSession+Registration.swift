extension IRCSession {
    mutating func capability(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        // `CAP nick LS * :names`: the nick isn't always ours, and a `*` says that more lines follow.
        guard message.parameters.count >= 3, let list = message.parameters.last else { return }
        switch message.parameter(1).uppercasedASCII {
        case "LS":
            capabilities.offer(list)
            if message.parameters.count == 3 { listed(moment, &effects) }
        case "NEW":
            capabilities.offer(list)
            if isWelcomed { request(moment, &effects) }
        case "DEL":
            capabilities.withdraw(list)
            configureRelevance()
        case "ACK":
            capabilities.acknowledge(list)
            configureRelevance()
            answered(moment, &effects)
        case "NAK":
            for name in capabilities.refuse(list) {
                sendNow(IRCMessage("CAP", ["REQ", name]), at: moment.now, &effects)
            }
            answered(moment, &effects)
        default: break
        }
    }

    private mutating func listed(_ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering(let registration) = phase, registration.step == .listing else { return }
        if settings.sasl != nil, capabilities.offered["sasl"] == nil {
            giveUpLogin("the server offers no login (SASL) at present", moment, &effects)
            return
        }
        advance(to: .requesting, at: moment.now)
        request(moment, &effects)
        answered(moment, &effects)
    }

    private mutating func request(_ moment: Moment, _ effects: inout [Effect]) {
        for list in capabilities.request(withLogin: settings.sasl != nil && !isWelcomed) {
            sendNow(IRCMessage("CAP", ["REQ", list]), at: moment.now, &effects)
        }
    }

    private mutating func answered(_ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering(let registration) = phase, registration.step == .requesting, capabilities.isAnswered
        else { return }
        guard settings.sasl != nil else {
            endNegotiation(moment, &effects)
            return
        }
        guard capabilities.has("sasl") else {
            giveUpLogin("the server refused the login (SASL)", moment, &effects)
            return
        }
        beginLogin(moment, &effects)
    }

    mutating func endNegotiation(_ moment: Moment, _ effects: inout [Effect]) {
        advance(to: .ended, at: moment.now)
        sendNow(IRCMessage("CAP", ["END"]), at: moment.now, &effects)
    }

    mutating func advance(to step: Registration.Step, at now: Tick) {
        guard case .registering(var registration) = phase else { return }
        registration.step = step
        registration.stepLimit = now.advanced(by: step == .ended ? settings.registrationLimit : settings.stepLimit)
        phase = .registering(registration)
    }

    /// A server without CAP says 421, or 451 because NICK and USER haven't come yet.
    mutating func unknownCommand(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering(let registration) = phase, registration.step == .listing,
            message.parameters.contains(where: { $0.uppercasedASCII == "CAP" })
        else { return }
        if settings.sasl != nil {
            giveUpLogin("the server knows no login (SASL)", moment, &effects)
        } else {
            advance(to: .ended, at: moment.now)
        }
    }

    mutating func unavailable(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        if support.channel(of: message.parameter(1)) != nil {
            joinRefused(message, moment, &effects)
        } else {
            nickRefused(message, moment, &effects)
        }
    }

    mutating func nickRefused(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering(var registration) = phase, !isWelcomed else { return }
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

    mutating func welcome(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering = phase, !isWelcomed else { return }
        if settings.sasl != nil, !isLoggedIn {
            giveUpLogin("the server let us in without a login", moment, &effects)
            return
        }
        isWelcomed = true
        if !message.parameter(0).isEmpty, message.parameter(0) != "*" { nick = message.parameter(0) }
        advance(to: .welcomed, at: moment.now)
        configureRelevance()
    }

    mutating func supportTold(_ message: IRCMessage) {
        let mapping = support.casemapping
        for token in message.parameters.dropFirst().dropLast() { support.apply(token) }
        if support.casemapping != mapping {
            channels.refold(support.casemapping)
            fileChannels()
            people = People()
        }
        configureRelevance()
    }

    mutating func goOnline(at now: Tick, _ effects: inout [Effect]) {
        guard case .registering = phase, isWelcomed else { return }
        phase = .online
        effects.append(.emit(.online(nick: nick)))
        if let mode = support.botMode { queue(IRCMessage("MODE", [nick, "+\(mode)"]), at: now, &effects) }
        if let password = settings.nickservPassword {
            let name = isOurs(settings.nick) ? "" : settings.nick + " "
            queue(IRCMessage("PRIVMSG", ["NickServ", "IDENTIFY \(name)\(password)"]), at: now, &effects)
            if !isLoggedIn { joinsHeldUntil = now.advanced(by: .seconds(10)) }
        }
        if !isOurs(settings.nick) { regainAt = now.advanced(by: random.spread(.seconds(120))) }
        // The answer shows how far the two clocks are apart.
        if capabilities.tellsTime { sendPing(at: now, &effects) }
        for channel in settings.channels { channels.makeReady(support.casemapping.fold(channel.name)) }
        pump(at: now, &effects)
    }
}
