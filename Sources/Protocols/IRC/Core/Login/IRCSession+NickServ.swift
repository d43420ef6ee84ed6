/// NickServ's IDENTIFY, the old way to log in, for networks without SASL. Channels wait for its answer, because some
/// let only those in who are known; but not for long, because services may be away.
extension IRCSession {
    mutating func identify(at now: Tick, _ effects: inout [Effect]) {
        guard let password = settings.nickservPassword, !isLoggedIn else { return }
        let name = isOurs(settings.nick) ? "" : settings.nick + " "
        queue(IRCMessage("PRIVMSG", ["NickServ", "IDENTIFY \(name)\(password)"]), at: now, &effects)
        joinsHeldUntil = now.advanced(by: settings.nickservWait)
    }

    mutating func releaseJoins(_ moment: Moment, _ effects: inout [Effect]) {
        guard joinsHeldUntil != nil else { return }
        joinsHeldUntil = nil
        pump(at: moment.now, &effects)
    }

    /// NickServ has no numbers; its request for the password comes as a notice like its answers.
    mutating func nickServSaid(_ text: String, _ moment: Moment, _ effects: inout [Effect]) {
        guard joinsHeldUntil != nil else { return }
        let lower = text.lowercasedASCII
        if Self.refusals.contains(where: { lower.contains($0) }) {
            effects.append(.emit(.loginTrouble("NickServ: " + text)))
            releaseJoins(moment, &effects)
        } else if Self.greetings.contains(where: { lower.contains($0) }) {
            // Not every server has a number (900) for it.
            isLoggedIn = true
            releaseJoins(moment, &effects)
        }
    }

    /// The words of the usual services.
    private static let greetings = ["now identified", "accepted", "recognized", "logged in"]
    private static let refusals = [
        "invalid password", "password incorrect", "incorrect password", "not registered", "isn't registered",
        "not a registered", "authentication failed", "access denied",
    ]
}
