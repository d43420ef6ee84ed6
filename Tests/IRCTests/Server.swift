import IRC

/// A session that is online, for tests that count or measure instead of telling a story.
struct Server {
    var session: IRCSession
    var now = ContinuousClock.now
    var effects: [IRCSession.Effect] = []

    init(_ settings: IRCSettings, lines: [String] = []) {
        session = IRCSession(settings: settings, seed: 7, at: now)
        session.connected(at: now, &effects)
        receive([":irc.test 001 \(settings.nick) :hi"] + lines + [":irc.test 376 \(settings.nick) :end"])
        receive(settings.channels.map { ":\(settings.nick) JOIN \($0.name)" })
        effects.removeAll()
    }

    mutating func receive(_ lines: [String]) {
        for line in lines {
            Array(line.utf8).withUnsafeBytes { bytes in
                if session.canMatter(bytes) { session.received(bytes, at: now, wall: 0, &effects) }
            }
        }
    }

    mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let due = session.nextDeadline(), due <= end {
            now = max(now, due)
            session.timeoutReached(at: now, &effects)
        }
        now = end
    }

    /// What was sent since the last call, as text without line ends.
    mutating func sent() -> [String] {
        defer { effects.removeAll() }
        return effects.compactMap { effect in
            if case .send(let bytes) = effect { String(decoding: bytes.dropLast(2), as: UTF8.self) } else { nil }
        }
    }
}
