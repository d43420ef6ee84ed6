/// SASL (IRCv3 sasl-3.1, sasl-3.2): before CAP END, where a session that must log in ends when it can't, and later,
/// when services come back.
extension IRCSession {
    /// A server that logs us out again and again is not asked more often.
    private static let pauseBetweenLogins = Duration.seconds(60)

    mutating func beginLogin(_ moment: Moment, _ effects: inout [Effect]) {
        guard let settings = settings.sasl else { return }
        let offered = capabilities.offered["sasl"] ?? ""
        guard let mechanism = login.next(of: settings.mechanisms, offered: offered) else {
            noMechanismLeft(settings, offered, moment, &effects)
            return
        }
        login.begin(SASLExchange(mechanism, settings), at: moment.now)
        waitForAnswer(moment)
        sendNow(IRCMessage("AUTHENTICATE", [mechanism.rawValue]), at: moment.now, &effects)
    }

    private mutating func noMechanismLeft(
        _ login: IRCSettings.Login, _ offered: String, _ moment: Moment, _ effects: inout [Effect]
    ) {
        let names = login.mechanisms.map(\.rawValue).joined(separator: ", ")
        let text =
            offered.isEmpty
            ? "the server takes none of \(names)" : "the server doesn't offer \(names), only \(offered)"
        giveUpLogin(.loginUnavailable, text, moment, &effects)
    }

    private mutating func waitForAnswer(_ moment: Moment) {
        if isWelcomed {
            login.deadline = moment.now.advanced(by: settings.stepLimit)
        } else {
            advance(to: .authenticating, at: moment.now)
        }
    }

    mutating func authenticate(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard let step = login.exchange?.received(message.parameter(0)) else { return }
        login.mayHearOldRefusal = false
        take(step, moment, &effects)
    }

    /// The result of `Effect.work`. One that comes too late, or was never asked for, is ignored.
    public mutating func worked(
        _ answer: LoginAnswer, at now: ContinuousClock.Instant, _ effects: inout [Effect]
    ) {
        switch phase {
        case .idle, .quitting, .closed: return
        case .registering, .online: break
        }
        guard let step = login.exchange?.worked(answer) else { return }
        take(step, Moment(now: origin.tick(now), wall: 0), &effects)
    }

    private mutating func take(_ step: SASLExchange.Step, _ moment: Moment, _ effects: inout [Effect]) {
        switch step {
        case .wait: break
        case .work(let work): effects.append(.work(work))
        case .respond(let bytes):
            waitForAnswer(moment)
            for piece in SASLPieces.cut(bytes) {
                sendNow(IRCMessage("AUTHENTICATE", [piece]), at: moment.now, &effects)
            }
        case .abort(let reason, let isRefusal):
            sendNow(IRCMessage("AUTHENTICATE", ["*"]), at: moment.now, &effects)
            giveUpLogin(isRefusal ? .loginFailed : .loginUnavailable, reason, moment, &effects)
        }
    }

    /// `900 nick mask account :text`; may come from services at any time, by certificate or NickServ.
    mutating func loggedIn(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        isLoggedIn = true
        effects.append(.emit(.loggedIn(account: message.parameter(2))))
        releaseJoins(moment, &effects)
    }

    /// `901 nick mask :text`
    mutating func loggedOut(_ moment: Moment, _ effects: inout [Effect]) {
        isLoggedIn = false
        effects.append(.emit(.loggedOut))
        let isSoon = login.began.map { moment.now < $0.advanced(by: Self.pauseBetweenLogins) } ?? false
        if !isSoon { logInAgain(moment, &effects) }
    }

    /// After the welcome, with the capability there.
    mutating func logInAgain(_ moment: Moment, _ effects: inout [Effect]) {
        guard isWelcomed, !isLoggedIn, login.exchange == nil, settings.sasl != nil, capabilities.has("sasl") else {
            return
        }
        login.reset()
        beginLogin(moment, &effects)
    }

    /// 903, and 907 for one who is logged in already.
    mutating func loginDone(_ moment: Moment, _ effects: inout [Effect]) {
        guard let exchange = login.exchange else { return }
        guard exchange.mayEnd else {
            giveUpLogin(
                .loginUnavailable, "the server did not prove that it knows the password", moment, &effects)
            return
        }
        endLogin()
        isLoggedIn = true
        if isWelcomed { releaseJoins(moment, &effects) } else { endNegotiation(moment, &effects) }
    }

    /// 907 in the beginning: services knew us by our certificate.
    mutating func loggedInAlready(_ moment: Moment, _ effects: inout [Effect]) {
        guard let exchange = login.exchange else { return }
        if !exchange.hasShownCredential, !isWelcomed {
            endLogin()
            isLoggedIn = true
            endNegotiation(moment, &effects)
        } else {
            loginDone(moment, &effects)
        }
    }

    /// 904: the only word by which a server says that what we showed is wrong. Said to a mechanism of which it has
    /// seen nothing yet, it is about that mechanism.
    mutating func loginRefused(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard login.exchange != nil, let settings = settings.sasl, !login.isStaleRefusal() else { return }
        distrustUnproven()
        login.refuse()
        if login.next(of: settings.mechanisms, offered: capabilities.offered["sasl"] ?? "") != nil {
            beginLogin(moment, &effects)
        } else {
            giveUpLogin(
                login.wasRefused ? .loginFailed : .loginUnavailable, message.parameters.last ?? "", moment, &effects)
        }
    }

    /// 902, 905, 906: not now, too long, given up. Nothing is said about what we showed.
    mutating func loginBroken(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard login.exchange != nil else { return }
        giveUpLogin(.loginUnavailable, message.parameters.last ?? "", moment, &effects)
    }

    /// `908 nick mechanisms :text` goes before 904, or instead of it.
    mutating func mechanismsListed(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard let exchange = login.exchange else { return }
        login.list(message.parameter(1))
        guard !exchange.hasShownCredential else { return }
        distrustUnproven()
        login.refuse()
        login.mayHearOldRefusal = true
        beginLogin(moment, &effects)
    }

    /// Services are gone, and their part of the login won't come.
    mutating func loginWithdrawn(_ moment: Moment, _ effects: inout [Effect]) {
        guard login.exchange != nil else { return }
        giveUpLogin(.loginUnavailable, "the server withdrew the login (SASL)", moment, &effects)
    }

    mutating func loginTimedOut(at now: Tick, _ effects: inout [Effect]) {
        guard let deadline = login.deadline, deadline <= now else { return }
        sendNow(IRCMessage("AUTHENTICATE", ["*"]), at: now, &effects)
        giveUpLogin(.loginUnavailable, "no answer to the login in time", Moment(now: now, wall: 0), &effects)
    }

    /// Before the welcome the session ends. Later it goes on as it is: what it does works, and services will be back.
    mutating func giveUpLogin(
        _ kind: CloseReason.Kind, _ text: String, _ moment: Moment, _ effects: inout [Effect]
    ) {
        distrustUnproven()
        endLogin()
        guard !isWelcomed else {
            effects.append(.emit(.loginTrouble(text)))
            return
        }
        sendNow(IRCMessage("QUIT", ["login failed"]), at: moment.now, &effects)
        close(CloseReason(kind, text), &effects)
    }

    /// A server that has not proved itself may have said 900 before; that was no login.
    private mutating func distrustUnproven() {
        if login.exchange?.mayEnd == false { isLoggedIn = false }
    }

    private mutating func endLogin() {
        login.exchange = nil
        login.deadline = nil
    }
}
