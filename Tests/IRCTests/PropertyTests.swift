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
        "+m draft/multiline #cats", "-m", "-x", "REDACT", "m1", "303", "731", "734", "354", "352", "311", "330", "318",
        "335", "302", "401", "716", "442", "263", "FAIL", "WARN", "47", "H", "HB", "0", "435", "438", "447",
        "MONITOR=5",
        "WHOX", "CHANLIMIT=#:1", "NICKLEN=4", "CLIENTTAGDENY=*,-typing", "ISON", "MONITOR", "bo", "ada",
        ":message-tags echo-message labeled-response", ":draft/message-redaction", ":account-notify extended-join",
        "hub.test leaf.test", ":gifbot=+~g@h", "TARGMAX=JOIN:1", "<ada> !gif owl", "400", "464", "439", "495", "926",
        ":notice", "-T", "-m", "#owls", "MAXTARGETS=1", "TARGMAX=PART:1", "ERROR", "465", "KILL", "907", "908", "901",
    ]
    private static let sources = [
        "", ":irc.test ", ":gifbot!~g@h ", ":bo!b@h ", "@time=2026-01-01T00:00:00.000Z :bo!b@h ",
        "@msgid=m1;label=0 :gifbot!~g@h ", "@msgid=m1;account=alice :ada!a@h ", "@batch=m :bo!b@h ",
        "@batch=x :bo!b@h ",
        ":NickServ!s@s ", ":*status!znc@znc.in ", "@account=;msgid= :bo!b@h ",
    ]
    /// What answers a NICK of ours.
    private static let nickAnswers: Set<String> = [
        "400", "432", "433", "435", "436", "437", "438", "447", "NICK", "FAIL",
    ]
    /// What a server that hasn't let us in yet may hear.
    private static let introductions = ["CAP ", "NICK ", "USER ", "AUTHENTICATE ", "PONG", "QUIT "].map {
        Array($0.utf8)
    }

    @Test(arguments: 1...60)
    func random(seed: Int) {
        var random = Randomness(seed: UInt64(seed))
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = [IRCSettings.Channel("#cats"), IRCSettings.Channel("#dogs", key: "k\r\nQUIT")]
        settings.flood = seed % 2 == 0 ? nil : settings.flood
        settings.admins = seed % 4 == 0 ? [] : ["alice"]
        settings.relays = seed % 5 == 0 ? ["bo"] : []
        settings.sasl = seed % 3 == 0 ? IRCSettings.Login(username: "gifbot", password: "p") : nil
        var now = ContinuousClock.now
        var session = IRCSession(settings: settings, seed: UInt64(seed), at: now)
        var effects: [IRCSession.Effect] = []
        session.connected(at: now, &effects)
        var asked: ContinuousClock.Instant?
        for step in 0..<600 {
            let wasClosed = session.isClosed
            if step == 20 { feed(&session, ":irc.test 001 gifbot :hi", now, &effects) }
            if step == 30 { feed(&session, ":irc.test 376 gifbot :hi", now, &effects) }
            switch random.next() % 10 {
            case 0:
                now = now.advanced(by: .milliseconds(Int(random.next() % 5000)))
                session.timeoutReached(at: now, &effects)
                if let next = session.nextDeadline() { #expect(next > now) }
            case 1:
                let text = pick(Self.words, &random) + String(repeating: "é\n", count: Int(random.next() % 300))
                let reference = AnswerReference(
                    id: step % 3 == 0 ? "q\(step % 7)" : nil, request: pick(Self.words, &random),
                    channel: step % 2 == 0 ? pick(Self.words, &random) : nil)
                _ = session.say(
                    text, to: pick(Self.words, &random), notice: step % 2 == 0, as: reference, at: now, &effects)
            case 2:
                feed(&session, "PING :\(step)", now, &effects)
                #expect(wasClosed || effects.contains(.send(Array("PONG \(step)\r\n".utf8))))
            case 3:
                _ = session.retract("q\(step % 7)", at: now, &effects)
                session.typing(to: pick(Self.words, &random), isOver: step % 2 == 0, at: now, &effects)
                settings.channels = (0..<(random.next() % 4)).map { _ in
                    IRCSettings.Channel(pick(Self.words, &random).filter { $0 != " " } + "#")
                }
                if step % 11 == 0 { session.update(settings, at: now, &effects) }
                if step % 13 == 0 { session.worked(.failed("no"), at: now, &effects) }
                if step > 500, step % 17 == 0 { session.quit(pick(Self.words, &random), at: now, &effects) }
            default:
                let line = line(&random)
                // Whatever may answer a NICK ends it; the machine looks closer.
                if line.split(separator: " ").contains(where: { Self.nickAnswers.contains(String($0)) }) { asked = nil }
                feed(&session, line, now, &effects)
            }
            check(effects, wasClosed: wasClosed)
            if !session.isWelcomed { checkIntroduction(effects) }
            checkNicks(effects, isOnline: step > 40, now, &asked)
            #expect(session.queuedLines <= 64)
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

    /// Never two NICKs at a time, unless the server has let the first one lie for a minute.
    private func checkNicks(
        _ effects: [IRCSession.Effect], isOnline: Bool, _ now: ContinuousClock.Instant,
        _ asked: inout ContinuousClock.Instant?
    ) {
        for case .send(let line) in effects where line.starts(with: Array("NICK ".utf8)) {
            if isOnline, let asked { #expect(asked.advanced(by: .seconds(60)) <= now, "two at a time") }
            asked = now
        }
    }

    /// Nothing is said before its time.
    private func checkIntroduction(_ effects: [IRCSession.Effect]) {
        for case .send(let line) in effects {
            let isDue = Self.introductions.contains { line.starts(with: $0) }
            #expect(isDue, "\(String(decoding: line, as: UTF8.self))")
        }
    }

    private func check(_ effects: [IRCSession.Effect], wasClosed: Bool) {
        if wasClosed { #expect(effects.isEmpty) }
        for (index, effect) in effects.enumerated() {
            switch effect {
            case .send(let line):
                let tags = line.first == UInt8(ascii: "@") ? line.prefix { $0 != 0x20 }.count + 1 : 0
                #expect(tags <= 4096)
                #expect(line.count - tags <= 512)
                #expect(line.suffix(2) == [0x0D, 0x0A])
                #expect(line.dropLast(2).allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 })
            case .close: #expect(index == effects.count - 1)
            case .emit, .work: break
            }
        }
    }
}
