typealias Handler = @Sendable (inout IRCSession, IRCMessage, Moment, inout [IRCSession.Effect]) -> Void

extension IRCSession {
    mutating func received(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let command = message.command.uppercasedASCII
        switch phase {
        case .idle, .closed: return
        case .quitting:
            // Only what keeps the connection up, or ends it.
            guard command == "PING" || command == "ERROR" else { return }
        case .registering, .online: break
        }
        // Whatever is played back happened long ago; only the batches themselves are followed.
        if command != "BATCH", !message.tags.isEmpty, isHistory(message) { return }
        if let handle = Self.handlers[command] {
            handle(&self, message, moment, &effects)
        } else if let number = Int(command), 400..<1000 ~= number, isJoinRefusal(message) {
            joinRefused(message, moment, &effects)
        } else if let number = Int(command), 400..<600 ~= number {
            effects.append(.emit(.refused(code: command, reason: message.parameters.last ?? "")))
        }
    }

    /// Every command that means something to us. What isn't here is ignored; unknown error numbers are told.
    private static let handlers: [String: Handler] = {
        var table = connectionHandlers
        for part in [
            registrationHandlers, nickHandlers, channelHandlers, peopleHandlers, inquiryHandlers, messageHandlers,
            batchHandlers, replyHandlers,
        ] {
            table.merge(part) { first, _ in first }
        }
        for code in joinRefusals.keys where table[code] == nil { table[code] = { $0.joinRefused($1, $2, &$3) } }
        return table
    }()

    private static let connectionHandlers: [String: Handler] = [
        "PING": { $0.sendNow(IRCMessage("PONG", $1.parameters), at: $2.now, &$3) },
        "PONG": { session, message, moment, _ in session.pong(message, moment) },
        "ERROR": { session, message, _, effects in session.serverError(message, &effects) },
        "KILL": { session, message, _, effects in session.killed(message, &effects) },
        // No permission for our host: a ban that is called otherwise.
        "463": { session, message, moment, _ in session.banned(message, moment) },
        "465": { session, message, moment, _ in session.banned(message, moment) },
        "464": { session, message, _, effects in
            guard !session.isWelcomed else { return }
            session.close(CloseReason(.loginFailed, message.parameters.last ?? ""), &effects)
        },
    ]

    private static let registrationHandlers: [String: Handler] = [
        "CAP": { $0.capability($1, $2, &$3) },
        "AUTHENTICATE": { $0.authenticate($1, $2, &$3) },
        "900": { $0.loggedIn($1, $2, &$3) },
        "901": { session, _, moment, effects in session.loggedOut(moment, &effects) },
        "902": { $0.loginBroken($1, $2, &$3) },
        "903": { session, _, moment, effects in session.loginDone(moment, &effects) },
        "904": { $0.loginRefused($1, $2, &$3) },
        "905": { $0.loginBroken($1, $2, &$3) },
        "906": { $0.loginBroken($1, $2, &$3) },
        "907": { session, _, moment, effects in session.loggedInAlready(moment, &effects) },
        "908": { $0.mechanismsListed($1, $2, &$3) },
        "421": { session, message, moment, effects in
            session.unknownCommand(message, moment, &effects)
            session.nickWatch.unknownCommand(message.parameter(1))
        },
        "451": { $0.unknownCommand($1, $2, &$3) },
        "410": { $0.unknownCommand($1, $2, &$3) },
        "001": { $0.welcome($1, $2, &$3) },
        "005": { session, message, _, _ in session.supportTold(message) },
        "376": { session, _, moment, effects in session.goOnline(at: moment.now, &effects) },
        "422": { session, _, moment, effects in session.goOnline(at: moment.now, &effects) },
    ]

    private static let channelHandlers: [String: Handler] = [
        "JOIN": { $0.join($1, $2, &$3) },
        "PART": { $0.part($1, $2, &$3) },
        "KICK": { $0.kick($1, $2, &$3) },
        "INVITE": { $0.invite($1, $2, &$3) },
        "MODE": { session, message, _, _ in session.mode(message) },
        "353": { session, message, _, _ in session.names(message) },
    ]

    private static let peopleHandlers: [String: Handler] = [
        "NICK": { $0.nickChange($1, $2, &$3) },
        "QUIT": { $0.quitOfOther($1, $2, &$3) },
        "ACCOUNT": { session, message, _, _ in session.account(message) },
        "CHGHOST": { session, message, _, _ in session.hostChange(message) },
        "396": { session, message, _, _ in session.ownHost(message) },
    ]

    private static let messageHandlers: [String: Handler] = [
        "PRIVMSG": { $0.privmsg($1, $2, &$3) },
        "NOTICE": { $0.notice($1, $2, &$3) },
    ]
}
