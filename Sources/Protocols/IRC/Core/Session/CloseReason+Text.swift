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

    /// In this order: `Trying to reconnect too fast … or you will be banned` is a throttle.
    private static let signs: [(kind: Kind, words: [String])] = [
        (.throttled, ["too fast", "throttl", "try again later", "too many connections", "too many host", "clones"]),
        (.banned, ["k-line", "kline", "g-line", "gline", "z-line", "zline", "d-line", "akill", "banned"]),
        (.killed, ["killed", "(kill"]),
        (.loginFailed, ["password", "sasl"]),
    ]
}
