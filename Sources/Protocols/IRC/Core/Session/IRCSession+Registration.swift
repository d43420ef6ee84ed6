extension IRCSession {
    mutating func capability(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        // `CAP nick LS * :names`: the nick isn't always ours, and a `*` says that more lines follow.
        guard message.parameters.count >= 3, let list = message.parameters.last else { return }
        switch message.parameter(1).uppercasedASCII {
        case "LS":
            capabilities.offer(list)
            strictTransport(&effects)
            if message.parameters.count == 3 { listed(moment, &effects) }
        case "NEW":
            capabilities.offer(list)
            strictTransport(&effects)
            guard isWelcomed, !isClosed else { return }
            request(at: moment.now, &effects)
            if names("sasl", list) { logInAgain(moment, &effects) }
        case "DEL":
            capabilities.withdraw(list)
            if capabilities.offered["sasl"] == nil { loginWithdrawn(moment, &effects) }
            configureRelevance()
        case "ACK":
            capabilities.acknowledge(list)
            configureRelevance()
            answered(moment, &effects)
            if names("sasl", list) { logInAgain(moment, &effects) }
        case "NAK":
            for name in capabilities.refuse(list) {
                sendNow(IRCMessage("CAP", ["REQ", name]), at: moment.now, &effects)
            }
            answered(moment, &effects)
        default: break
        }
    }

    private func names(_ name: String, _ list: String) -> Bool {
        list.split(separator: " ").contains { $0.prefix { $0 != "=" } == name }
    }

    private mutating func listed(_ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering(let registration) = phase, registration.step == .listing else { return }
        introduce(at: moment.now, &effects)
        if settings.sasl != nil, capabilities.offered["sasl"] == nil {
            giveUpLogin(.loginUnavailable, "the server offers no login (SASL) at present", moment, &effects)
            return
        }
        advance(to: .requesting, at: moment.now)
        request(at: moment.now, &effects)
        answered(moment, &effects)
    }

    private mutating func request(at now: Tick, _ effects: inout [Effect]) {
        for list in capabilities.request(withLogin: settings.sasl != nil && !isLoggedIn) {
            sendNow(IRCMessage("CAP", ["REQ", list]), at: now, &effects)
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
            giveUpLogin(.loginUnavailable, "the server refused the login (SASL)", moment, &effects)
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
        introduce(at: moment.now, &effects)
        if settings.sasl != nil {
            giveUpLogin(.loginUnavailable, "the server knows no login (SASL)", moment, &effects)
        } else {
            advance(to: .ended, at: moment.now)
        }
    }

    mutating func welcome(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering = phase, !isWelcomed else { return }
        if settings.sasl != nil, !isLoggedIn || login.exchange?.mayEnd == false {
            giveUpLogin(.loginUnavailable, "the server let us in without a login", moment, &effects)
            return
        }
        isWelcomed = true
        farewell = nil
        welcomedAt = moment.wall
        if !message.parameter(0).isEmpty, message.parameter(0) != "*" { nick = message.parameter(0) }
        advance(to: .welcomed, at: moment.now)
        // What came with NEW since CAP END: a request before the welcome would have held it up.
        request(at: moment.now, &effects)
        configureRelevance()
    }

    mutating func supportTold(_ message: IRCMessage) {
        let before = support
        for token in message.parameters.dropFirst().dropLast() { support.apply(token) }
        if support.casemapping != before.casemapping {
            channels.refold(support.casemapping)
            fileChannels()
        }
        // Names and ranks as they were noted mean something else now; nobody keeps a right by mistake.
        if support.casemapping != before.casemapping || !support.hasRanks(of: before) {
            people = People()
            relevance.beginWatching(0)
        }
        configureRelevance()
    }

    mutating func goOnline(at now: Tick, _ effects: inout [Effect]) {
        guard case .registering = phase, isWelcomed else { return }
        phase = .online
        effects.append(.emit(.online(nick: nick)))
        if let mode = support.botMode { queue(IRCMessage("MODE", [nick, "+\(mode)"]), at: now, &effects) }
        identify(at: now, &effects)
        // The answer shows how far the two clocks are apart.
        if capabilities.tellsTime { sendPing(at: now, &effects) }
        for channel in settings.channels { channels.makeReady(support.casemapping.fold(channel.name)) }
        // A JOIN of ours shows our address to us as others see it; without one the server is asked.
        if settings.channels.isEmpty, host == nil { queue(IRCMessage("USERHOST", [nick]), at: now, &effects) }
        pump(at: now, &effects)
        if !isOurs(wantedNick) { watchNick(at: now, &effects) }
    }
}
