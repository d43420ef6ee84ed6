import Testing

@testable import IRC

/// Whatever a server sends, in whatever order: nothing illegal leaves, PING is answered at once, and nothing comes
/// after the end.
@Suite("IRC session under random input")
struct PropertyTests {
    private static let words = [
        "PING", "PRIVMSG", "NOTICE", "JOIN", "PART", "KICK", "NICK", "QUIT", "MODE", "INVITE", "CAP", "AUTHENTICATE",
        "BATCH", "001", "005", "353", "376", "396", "404", "421", "432", "433", "437", "471", "473", "479", "900",
        "903",
        "904", "CHGHOST", "ACCOUNT", "PONG", "gifbot", "#cats", "#Dogs", "@#cats", "*", "LS", "ACK", "NAK", "NEW",
        "DEL", "+", "+o", "-ov", ":!gif owl", ":\u{1}VERSION\u{1}", ":\u{1}PING \r\n\0x\u{1}", ":gifbot: gif owl",
        "CASEMAPPING=ascii", "PREFIX=(ov)@+", "BOT=B", "STATUSMSG=@", "LINELEN=200", "-PREFIX", "CHANMODES=,,,",
        ":sasl server-time batch", ":server-time", "", " ", ":", "\u{2}\u{3}4,", "ада", "\r", "\0", "+x chathistory",
    ]
    private static let sources = [
        "", ":irc.test ", ":gifbot!~g@h ", ":bo!b@h ", "@time=2026-01-01T00:00:00.000Z :bo!b@h ",
    ]

    @Test(arguments: 1...60)
    func random(seed: Int) {
        var random = Randomness(seed: UInt64(seed))
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = [IRCSettings.Channel("#cats"), IRCSettings.Channel("#dogs", key: "k\r\nQUIT")]
        settings.flood = seed % 2 == 0 ? nil : settings.flood
        settings.sasl = seed % 3 == 0 ? IRCSettings.Login(username: "gifbot", password: "p") : nil
        var now = ContinuousClock.now
        var session = IRCSession(settings: settings, seed: UInt64(seed), at: now)
        var effects: [IRCSession.Effect] = []
        session.connected(at: now, &effects)
        for step in 0..<600 {
            let wasClosed = session.isClosed
            if step == 20 { feed(&session, ":irc.test 001 gifbot :hi", now, &effects) }
            if step == 30 { feed(&session, ":irc.test 376 gifbot :hi", now, &effects) }
            switch random.next() % 8 {
            case 0:
                now = now.advanced(by: .milliseconds(Int(random.next() % 5000)))
                session.timeoutReached(at: now, &effects)
                if let next = session.nextDeadline() { #expect(next > now) }
            case 1:
                let text = pick(Self.words, &random) + String(repeating: "é\n", count: Int(random.next() % 300))
                _ = session.say(text, to: pick(Self.words, &random), notice: step % 2 == 0, at: now, &effects)
            case 2:
                feed(&session, "PING :\(step)", now, &effects)
                #expect(wasClosed || effects.contains(.send(Array("PONG \(step)\r\n".utf8))))
            default: feed(&session, line(&random), now, &effects)
            }
            check(effects, wasClosed: wasClosed)
            effects.removeAll(keepingCapacity: true)
        }
    }

    /// Bytes without sense, of the few kinds that the parsers tell apart.
    @Test(arguments: 1...20)
    func rubbish(seed: Int) {
        var random = Randomness(seed: UInt64(seed))
        let alphabet: [[UInt8]] =
            [
                ":", "@", " ", "PRIVMSG ", "NOTICE ", "JOIN ", "#", "!", "gifbot", ":", "a", "=", ";", "\\", "\u{1}",
                "\u{1}ACTION", "\u{3}", "\u{4}", ",", "+", "é", "\0", "\r", "005 ", "CAP ", "353 ", "MODE ",
            ].map { Array($0.utf8) } + [[0xFF], [0xE9], [0x80]]
        var server = Server(IRCSettings(nick: "gifbot"))
        for _ in 0..<2000 {
            let line = (0..<(random.next() % 12)).flatMap { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            line.withUnsafeBytes { bytes in
                _ = server.session.canMatter(bytes)
                server.session.received(bytes, at: server.now, wall: 0, &server.effects)
            }
            check(server.effects, wasClosed: false)
            server.effects.removeAll()
        }
    }

    private func pick(_ all: [String], _ random: inout Randomness) -> String {
        all[Int(random.next() % UInt64(all.count))]
    }

    private func line(_ random: inout Randomness) -> String {
        let parts = (0...(random.next() % 5)).map { _ in pick(Self.words, &random) }
        return pick(Self.sources, &random) + parts.joined(separator: " ")
    }

    private func feed(
        _ session: inout IRCSession, _ line: String, _ now: ContinuousClock.Instant,
        _ effects: inout [IRCSession.Effect]
    ) {
        Array(line.utf8).withUnsafeBytes { bytes in
            guard session.canMatter(bytes) else { return }
            session.received(bytes, at: now, wall: 1_767_225_600_000, &effects)
        }
    }

    @Test("framing in pieces makes no difference to a session", arguments: [1, 2, 7, 64, 4096])
    func pieces(length: Int) {
        let text =
            [
                ":irc.test 001 gifbot :hi", ":irc.test 376 gifbot :end", "PING :é", ":bo!b@h PRIVMSG gifbot :gif owl",
                ":bo!b@h PRIVMSG #cats :talk", ":bo!b@h PRIVMSG gifbot :\u{1}VERSION\u{1}", "ERROR :bye",
            ].joined(separator: "\r\n") + "\r\n"
        #expect(effects(of: Array(text.utf8), inPieces: length) == effects(of: Array(text.utf8), inPieces: 1 << 20))
    }

    private func effects(of stream: [UInt8], inPieces length: Int) -> [IRCSession.Effect] {
        let now = ContinuousClock.now
        var session = IRCSession(settings: IRCSettings(nick: "gifbot"), seed: 3, at: now)
        var framer = LineFramer()
        var effects: [IRCSession.Effect] = []
        session.connected(at: now, &effects)
        for start in stride(from: 0, to: stream.count, by: length) {
            stream[start..<min(start + length, stream.count)].withUnsafeBytes {
                session.received($0, through: &framer, at: now, wall: 0, &effects)
            }
        }
        return effects
    }

    private func check(_ effects: [IRCSession.Effect], wasClosed: Bool) {
        if wasClosed { #expect(effects.isEmpty) }
        for (index, effect) in effects.enumerated() {
            switch effect {
            case .send(let line):
                #expect(line.count <= 512)
                #expect(line.suffix(2) == [0x0D, 0x0A])
                #expect(line.dropLast(2).allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 })
            case .close: #expect(index == effects.count - 1)
            case .emit, .work: break
            }
        }
    }
}
