extension CloseReason {
    /// Reads the text of ERROR, or of a notice before it. Servers have no numbers for this, only habits.
    init(serverText text: String, beforeWelcome: Bool) {
        let lower = text.lowercasedASCII
        let hit = Self.signs.first { sign in sign.words.contains { lower.hasWord(beginning: $0) } }
        switch hit?.kind {
        case .loginFailed?: self.init(beforeWelcome ? .loginFailed : .normal, text)
        case let kind?: self.init(kind, text)
        case nil: self.init(.normal, text)
        }
    }

    /// Bans of hosts, names and addresses: a K-line, a G:line, gzlined.
    private static let lines = ["k", "g", "z", "gz", "d", "x", "r", "q"].flatMap { kind in
        ["-line", "line", ":line"].map { kind + $0 }
    }

    /// Beginnings of words, looked for in this order: a line is a ban whatever its reason says, and so is an autokill, but
    /// `Trying to reconnect too fast … or you will be banned` is a throttle. Sending too much is answered like coming too
    /// fast.
    private static let signs: [(kind: Kind, words: [String])] = [
        // What a server tells those whom its bans don't touch.
        (.normal, ["exempt"]),
        (.banned, lines + ["akill", "autokill", "auto-kill"]),
        (.killed, ["killed", "(kill"]),
        (
            .throttled,
            ["too fast", "throttl", "try again later", "too many connections", "too many host", "clones"]
                + ["no more connections", "connection limit", "session limit", "flood", "recvq exceeded"]
                + ["server is full", "class is full", "connections in use", "too many unknown connections"]
                + ["please wait", "reconnect too"]
        ),
        (
            .banned,
            ["banned", "not welcome", "blacklist", "dnsbl", "open proxy", "unauthorized connection"]
                + ["not authorized to connect", "not authorised to connect"]
        ),
        (.loginFailed, ["password", "sasl"]),
    ]
}

extension String {
    /// Somewhere a word begins like this: `K-lined` like `k-line`, but a `deadline` not like `dline`.
    fileprivate func hasWord(beginning start: String) -> Bool {
        let text = Array(utf8)
        let start = Array(start.utf8)
        return text.indices.contains { index in
            text[index...].starts(with: start) && (index == 0 || !isLetter(text[index - 1]))
        }
    }
}

private func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
}
