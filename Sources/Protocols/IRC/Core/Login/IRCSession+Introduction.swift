/// PASS, NICK and USER, in this order.
extension IRCSession {
    /// For servers without CAP that don't even say so.
    private static let patience = Duration.seconds(5)

    /// At once, as everybody does; but a password isn't sent over a plain connection before the server has had the
    /// chance to demand TLS (IRCv3 sts).
    mutating func introduceOrWait(at now: Tick, _ effects: inout [Effect]) {
        guard case .registering(var registration) = phase else { return }
        let mustWait = settings.password != nil && !settings.isSecure
        registration.introducesAt = now.advanced(by: Self.patience)
        phase = .registering(registration)
        if !mustWait { introduce(at: now, &effects) }
    }

    mutating func introduce(at now: Tick, _ effects: inout [Effect]) {
        guard case .registering(var registration) = phase, registration.introducesAt != nil else { return }
        registration.introducesAt = nil
        phase = .registering(registration)
        if let password = settings.password { sendNow(IRCMessage("PASS", [password]), at: now, &effects) }
        sendNow(IRCMessage("NICK", [settings.nick]), at: now, &effects)
        sendNow(IRCMessage("USER", [settings.username, "0", "*", settings.realname]), at: now, &effects)
    }
}
