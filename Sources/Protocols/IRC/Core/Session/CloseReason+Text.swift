extension CloseReason {
    /// Reads the text of ERROR, or of a notice before it. Servers have no numbers for this, only habits.
    init(serverText text: String, beforeWelcome: Bool) {
        let lower = text.lowercasedASCII
        let hit = Self.signs.first { sign in sign.words.contains { lower.contains($0) } }
        switch hit?.kind {
        case .loginFailed?: self.init(beforeWelcome ? .loginFailed : .normal, text)
        case let kind?: self.init(kind, text)
        case nil: self.init(.normal, text)
        }
    }

    /// In this order: a line (K, G, Z, D) is a ban whatever its reason says, but `Trying to reconnect too fast … or you
    /// will be banned` is a throttle. Sending too much is answered like coming too fast.
    private static let signs: [(kind: Kind, words: [String])] = [
        // What a server tells those whom its bans don't touch.
        (.normal, ["exempt"]),
        (.killed, ["killed", "(kill"]),
        (
            .banned,
            ["k-line", "kline", "k:line", "g-line", "gline", "g:line", "z-line", "zline", "z:line", "d-line", "dline"]
                + ["akill", "autokill"]
        ),
        (
            .throttled,
            ["too fast", "throttl", "try again later", "too many connections", "too many host", "clones"]
                + ["no more connections", "connection limit", "session limit", "excess flood", "recvq exceeded"]
                + ["server is full", "too many unknown connections", "please wait", "reconnect too"]
        ),
        (
            .banned,
            ["banned", "not welcome", "blacklist", "dnsbl", "open proxy", "unauthorized connection"]
                + ["not authorized to connect", "not authorised to connect"]
        ),
        (.loginFailed, ["password", "sasl"]),
    ]
}
