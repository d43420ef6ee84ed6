/// What a session knows of its logins.
struct LoginState: Sendable {
    /// The one under way.
    var exchange: SASLExchange?
    /// After the welcome: when the server's next answer is due.
    var deadline: Tick?
    var began: Tick?
    /// After 908 a 904 may follow that is still about the mechanism before.
    var mayHearOldRefusal = false
    /// 908 knows better than what was offered with the capability.
    private var listed: [String]?
    private var tried: Set<SASLMechanism> = []
    private var refused: Set<SASLMechanism.Credential> = []

    /// The server has looked at something and said no.
    var wasRefused: Bool { !refused.isEmpty }

    /// The strongest that is configured, offered, and not yet in vain.
    func next(of configured: [SASLMechanism], offered: String) -> SASLMechanism? {
        let names = listed ?? Self.names(offered)
        return configured.first { mechanism in
            !tried.contains(mechanism) && !refused.contains(mechanism.credential)
                && (names.isEmpty || names.contains(mechanism.rawValue))
        }
    }

    mutating func begin(_ exchange: SASLExchange, at now: Tick) {
        self.exchange = exchange
        tried.insert(exchange.mechanism)
        began = now
    }

    /// `908 nick mechanisms :text`
    mutating func list(_ mechanisms: String) {
        listed = Self.names(mechanisms)
    }

    /// The server said no: to the mechanism when we had shown nothing yet, else to what we had shown.
    mutating func refuse() {
        if let exchange, exchange.hasShownCredential { refused.insert(exchange.mechanism.credential) }
        exchange = nil
    }

    mutating func isStaleRefusal() -> Bool {
        defer { mayHearOldRefusal = false }
        return mayHearOldRefusal
    }

    /// Another login on the same connection starts afresh.
    mutating func reset() {
        self = LoginState()
    }

    private static func names(_ list: String) -> [String] {
        list.uppercasedASCII.split(separator: ",").map { String($0) }
    }
}
