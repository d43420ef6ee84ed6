/// SASL PLAIN before CAP END (IRCv3 sasl-3.1, sasl-3.2). A session that must log in ends when it can't.
extension IRCSession {
    /// Characters of Base64 in one AUTHENTICATE.
    private static let pieceLength = 400

    mutating func beginLogin(_ moment: Moment, _ effects: inout [Effect]) {
        let offered = capabilities.offered["sasl"] ?? ""
        guard offered.isEmpty || offered.uppercasedASCII.split(separator: ",").contains("PLAIN") else {
            giveUpLogin("the server doesn't offer PLAIN, only \(offered)", moment, &effects)
            return
        }
        advance(to: .authenticating(isSent: false), at: moment.now)
        sendNow(IRCMessage("AUTHENTICATE", ["PLAIN"]), at: moment.now, &effects)
    }

    mutating func authenticate(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard case .registering(let registration) = phase, registration.step == .authenticating(isSent: false),
            message.parameter(0) == "+", let login = settings.sasl
        else { return }
        advance(to: .authenticating(isSent: true), at: moment.now)
        let user = Array(login.username.utf8)
        var rest = Substring(Base64.encode(user + [0] + user + [0] + Array(login.password.utf8)))
        // A last piece of full length would look as if more followed.
        var isOpen = true
        while isOpen {
            let piece = rest.prefix(Self.pieceLength)
            rest = rest.dropFirst(piece.count)
            isOpen = piece.utf8.count == Self.pieceLength
            sendNow(IRCMessage("AUTHENTICATE", [piece.isEmpty ? "+" : String(piece)]), at: moment.now, &effects)
        }
    }

    /// `900 nick mask account :text`; may come from services at any time, by certificate or NickServ.
    mutating func loggedIn(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        isLoggedIn = true
        effects.append(.emit(.loggedIn(account: message.parameter(2))))
        releaseJoins(moment, &effects)
    }

    mutating func releaseJoins(_ moment: Moment, _ effects: inout [Effect]) {
        guard joinsHeldUntil != nil else { return }
        joinsHeldUntil = nil
        pump(at: moment.now, &effects)
    }

    mutating func loginDone(_ moment: Moment, _ effects: inout [Effect]) {
        guard isAuthenticating else { return }
        isLoggedIn = true
        endNegotiation(moment, &effects)
    }

    mutating func loginFailed(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard isAuthenticating else { return }
        giveUpLogin(message.parameters.last ?? "", moment, &effects)
    }

    /// `908 nick mechanisms :text` goes before 904, or instead of it.
    mutating func mechanismsListed(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        guard isAuthenticating else { return }
        giveUpLogin("the server takes only \(message.parameter(1))", moment, &effects)
    }

    private var isAuthenticating: Bool {
        guard case .registering(let registration) = phase, case .authenticating = registration.step else {
            return false
        }
        return true
    }

    mutating func giveUpLogin(_ text: String, _ moment: Moment, _ effects: inout [Effect]) {
        sendNow(IRCMessage("QUIT", ["login failed"]), at: moment.now, &effects)
        close(CloseReason(.loginFailed, text), &effects)
    }
}
