import Foundation
import IRC
import Testing

/// Plays one transcript against a session: what goes in, and everything that must come out, in order.
///
///     settings nick=gifbot join=#cats     options, each on the session's settings
///     connected                           the connection stands
///     S: :irc.test 001 gifbot :hi         a line of the server; \xHH is a byte
///     P: :irc.test 001 gi                 a piece of one, without its end; more follows
///     C: NICK gifbot                      a line that we must send; a * at its end stands for anything
///     C= AUTHENTICATE *                   the same, letter by letter
///     E: joined #cats                     an event that must come out
///     X: throttled                        the session ends, for this reason
///     +30s                                time passes
///     say #cats text / notice ada text    we speak, \xHH is a byte; `R: word` is the result if it isn't `accepted`
///     answer id #cats text                we answer the message of that id, and may take it back under it
///     whisper id ada #cats text           the same in private, asked for in #cats
///     retract id                          we take it back
///     typing #cats                        we are working on something
///     quit reason / lost                  we leave; the connection ends by itself
///     unsigned                            from now on the key can't sign
///     ...                                 whatever has come out since is passed over
///
/// The same story runs over a TLS connection too, so that it is true of real reads and writes.
struct Story {
    private var session: IRCSession
    private var framer = LineFramer()
    private var now = ContinuousClock.now
    /// 2026-01-01T00:00:00Z
    private var wall: Int64 = 1_767_225_600_000
    private var pending: [String] = []
    private var effects: [IRCSession.Effect] = []
    private var works: [LoginWork] = []
    /// `rOprNGfwEbeRWgbNEkqO`, the nonce of RFC 7677's example, once it is in Base64.
    private var nonce: [UInt8] = [
        0xAC, 0xEA, 0x6B, 0x34, 0x67, 0xF0, 0x11, 0xB7, 0x91, 0x5A, 0x06, 0xCD, 0x12, 0x4A, 0x8E,
    ]
    private var canSign = true
    private let wire: TLSWire?

    /// Over a connection if there is a wire, else from hand to hand.
    static func play(_ text: String, over wire: TLSWire? = nil) async throws {
        var lines = text.split(separator: "\n").map { String($0) }.filter { !$0.hasPrefix("#") }
        var settings = IRCSettings(nick: "gifbot")
        if let first = lines.first, first.hasPrefix("settings ") {
            for word in first.split(separator: " ").dropFirst() { try settings.apply(String(word)) }
            lines.removeFirst()
        }
        var story = Story(settings, wire)
        for line in lines { try await story.step(line) }
        #expect(story.pending.isEmpty, "left over: \(story.pending)")
    }

    private init(_ settings: IRCSettings, _ wire: TLSWire?) {
        self.wire = wire
        session = IRCSession(settings: settings, seed: 1, at: now)
    }

    private mutating func step(_ line: String) async throws {
        let parts = line.split(separator: " ", maxSplits: 1).map { String($0) }
        let rest = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "C:", "E:", "X:", "R:", "C=":
            let expected = parts[0] + " " + rest
            try #require(!pending.isEmpty, "nothing came out, but expected: \(expected)")
            try match(pending.removeFirst(), expected)
        case "...": pending.removeAll()
        default:
            try #require(pending.isEmpty, "before \(line), left over: \(pending)")
            try await input(parts[0], rest)
            await collect()
        }
    }

    private mutating func input(_ word: String, _ rest: String) async throws {
        switch word {
        case "unsigned": canSign = false
        case "connected": session.connected(at: now, &effects)
        case "S:": await receive(unescaped(rest) + [0x0D, 0x0A])
        case "P:": await receive(unescaped(rest))
        case "say", "notice":
            let parts = rest.split(separator: " ", maxSplits: 1).map { String($0) }
            let text = String(decoding: unescaped(parts[1]), as: UTF8.self)
            let result = session.say(text, to: parts[0], notice: word == "notice", at: now, &effects)
            if result != .accepted { pending.append("R: \(result)") }
        case "answer", "whisper":
            let isPrivate = word == "whisper"
            let parts = rest.split(separator: " ", maxSplits: isPrivate ? 3 : 2).map { String($0) }
            let reference = AnswerReference(id: parts[0], request: parts[0], channel: isPrivate ? parts[2] : nil)
            let result = session.say(
                parts[parts.count - 1], to: parts[1], notice: isPrivate, as: reference, at: now, &effects)
            if result != .accepted { pending.append("R: \(result)") }
        case "retract":
            let result = session.retract(rest, at: now, &effects)
            if result != .accepted { pending.append("R: \(result)") }
        case "typing": session.typing(to: rest, at: now, &effects)
        case "quit": session.quit(rest, at: now, &effects)
        case "lost": pending.append("X: " + session.disconnected().kind.rawValue)
        default:
            let duration = try #require(Duration(word), "what is \(word)?")
            pass(duration)
        }
    }

    private mutating func receive(_ bytes: [UInt8]) async {
        for piece in await wire?.toClient(bytes) ?? [bytes] {
            piece.withUnsafeBytes { session.received($0, through: &framer, at: now, wall: wall, &effects) }
        }
    }

    private mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let due = session.nextDeadline(), due <= end {
            move(to: max(due, now))
            session.timeoutReached(at: now, &effects)
            if let next = session.nextDeadline() { #expect(next > now || session.isClosed) }
        }
        move(to: end)
    }

    private mutating func move(to instant: ContinuousClock.Instant) {
        wall += Int64((now.duration(to: instant) / .milliseconds(1)).rounded())
        now = instant
    }

    private mutating func collect() async {
        for effect in effects {
            switch effect {
            case .send(let sent):
                let bytes = await wire?.toServer(sent) ?? sent
                #expect(bytes.suffix(2) == [0x0D, 0x0A])
                pending.append("C: " + escaped(bytes.dropLast(2)))
            case .emit(let event): pending.append("E: " + event.story)
            case .work(let work): works.append(work)
            case .close(let reason): pending.append("X: " + reason.kind.rawValue)
            }
        }
        effects.removeAll(keepingCapacity: true)
        guard !works.isEmpty else { return }
        session.worked(answer(works.removeFirst()), at: now, &effects)
        await collect()
    }

    /// Randomness and signatures that can be foreseen; the hashes are real.
    private func answer(_ work: LoginWork) -> LoginAnswer {
        switch work {
        case .randomBytes(let count): .randomBytes(Array(nonce.prefix(count)))
        case .proof(let work): .proof(work.proof(RealFunctions()))
        case .signature(let bytes): canSign ? .signature(bytes.reversed()) : .failed("no key")
        }
    }

    /// A `*` at the end of the expected line stands for anything.
    private func match(_ actual: String, _ expected: String) throws {
        if expected.hasPrefix("C=") {
            return try #require(
                actual.dropFirst(2) == expected.dropFirst(2), "came out: \(actual); expected: \(expected)")
        }
        let isMatch = expected.hasSuffix("*") ? actual.hasPrefix(expected.dropLast()) : actual == expected
        try #require(isMatch, "came out: \(actual); expected: \(expected)")
    }
}

private func unescaped(_ text: String) -> [UInt8] {
    let parts = text.components(separatedBy: "\\x")
    return parts.dropFirst().reduce(into: Array(parts[0].utf8)) { bytes, part in
        bytes.append(UInt8(part.prefix(2), radix: 16) ?? 0)
        bytes += Array(part.dropFirst(2).utf8)
    }
}

private func escaped(_ bytes: some Sequence<UInt8>) -> String {
    let plain = bytes.reduce(into: [UInt8]()) { text, byte in
        text += byte < 0x20 ? Array(String(format: "\\x%02X", Int(byte)).utf8) : [byte]
    }
    return String(decoding: plain, as: UTF8.self)
}

extension Duration {
    /// `+30s`, `+500ms`, `+5m`
    fileprivate init?(_ text: String) {
        guard text.hasPrefix("+") else { return nil }
        let digits = text.dropFirst().prefix { $0.isNumber }
        guard let count = Int(digits) else { return nil }
        switch text.dropFirst(1 + digits.count) {
        case "ms": self = .milliseconds(count)
        case "s": self = .seconds(count)
        case "m": self = .seconds(60 * count)
        default: return nil
        }
    }
}

extension IRCSettings {
    fileprivate mutating func apply(_ word: String) throws {
        let parts = word.split(separator: "=", maxSplits: 1).map { String($0) }
        let value = parts.count > 1 ? parts[1] : ""
        let list = value.split(separator: ",").map { String($0) }
        switch parts[0] {
        case "nick": nick = value
        case "alt": alternativeNicks = list
        case "pass": password = value
        case "sasl":
            let login = value.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
            let names = login.count > 2 ? login[2].split(separator: "+").map { String($0) } : ["PLAIN"]
            sasl = Login(
                username: login[0], password: login[1], mechanisms: names.compactMap { SASLMechanism(rawValue: $0) })
        case "nickserv": nickservPassword = value
        case "plain-text": isSecure = false
        case "join":
            channels = list.map {
                let pair = $0.split(separator: ":").map { String($0) }
                return Channel(pair[0], key: pair.count > 1 ? pair[1] : nil)
            }
        case "rejoin": rejoin = nil
        case "flood": flood = nil
        case "relays": relays = list
        case "admins": admins = list
        case "age": ageLimit = .seconds(Int(list[0]) ?? 0)
        case "ignore": ignored = list.map { Mask($0) }
        default: Issue.record("unknown setting \(word)")
        }
    }
}

extension IRCEvent {
    fileprivate var story: String {
        switch self {
        case .online(let nick): "online \(nick)"
        case .message(let message): message.story
        case .joined(let channel): "joined \(channel)"
        case .kicked(let channel, let by, let reason): "kicked \(channel) \(by) \(reason)"
        case .left(let channel): "left \(channel)"
        case .joinRefused(let channel, let code, _, let isFinal):
            "join-refused \(channel) \(code)" + (isFinal ? " final" : "")
        case .cannotSpeak(let target, let code, _): "cannot-speak \(target) \(code)"
        case .nickChanged(let nick): "nick \(nick)"
        case .loggedIn(let account): "logged-in \(account)"
        case .loggedOut: "logged-out"
        case .loginTrouble(let text): "login-trouble \(text)"
        case .strictTransport(.upgrade(let port)): "sts port \(port)"
        case .strictTransport(.keep(let seconds)): "sts duration \(seconds)"
        case .answersDropped(let count): "dropped \(count)"
        case .refused(let code, _): "refused \(code)"
        case .noted(let code, _): "noted \(code)"
        case .redacted(let message): "redacted \(message.id ?? "?") \(message.story)"
        }
    }
}

extension IncomingMessage {
    fileprivate var story: String {
        var words = ["message", conversation, nick, "\"\(text)\""]
        if isPrivate { words.append("private") }
        if isAddressed { words.append("addressed") }
        if let account { words.append("account=\(account)") }
        if isRelayed { words.append("relayed") }
        if isOperator { words.append("operator") }
        if replyTarget != conversation { words.append("to=\(replyTarget)") }
        if age > .zero { words.append("age=\(age)") }
        return words.joined(separator: " ")
    }
}
