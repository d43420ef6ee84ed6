import IRC

/// The session: whatever a server says, and whatever we say to it. A line that begins with `+` lets time pass, `!` makes us
/// speak, `-` takes back, `=` names the channels that are wanted from now on; all others are the server's.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    var player = Player()
    for line in Input(data, size).bytes.split(separator: 0x0A).prefix(400) { player.play(Array(line)) }
    return 0
}

private struct Player {
    private var settings = IRCSettings(nick: "gifbot")
    private var session: IRCSession
    private var framer = LineFramer()
    private var now = ContinuousClock.now
    private var effects: [IRCSession.Effect] = []
    private var isOver = false

    init() {
        settings.channels = [IRCSettings.Channel("#cats"), IRCSettings.Channel("#dogs", key: "key")]
        settings.admins = ["alice"]
        settings.relays = ["bridge"]
        session = IRCSession(settings: settings, seed: 1, at: now)
        session.connected(at: now, &effects)
        check()
    }

    mutating func play(_ line: [UInt8]) {
        let text = String(decoding: line.dropFirst(), as: UTF8.self)
        switch line.first {
        case UInt8(ascii: "+"): pass(.milliseconds(1000 * line.count))
        case UInt8(ascii: "!"):
            let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            let reference = AnswerReference(id: words[0], request: words.last, channel: words[0])
            let target = words[0].isEmpty ? "#cats" : words[0]
            _ = session.say(text, to: target, notice: line.count % 2 == 0, as: reference, at: now, &effects)
            session.typing(to: target, at: now, &effects)
        case UInt8(ascii: "="):
            settings.channels = text.split(separator: " ").map { IRCSettings.Channel(String($0)) }
            session.update(settings, at: now, &effects)
        case UInt8(ascii: "-"): _ = session.retract(text, at: now, &effects)
        default:
            (line + [0x0A]).withUnsafeBytes { bytes in
                session.received(bytes, through: &framer, at: now, wall: 1_796_032_800_000, &effects)
            }
            if line.starts(with: Array("PING ".utf8)), line.count <= 400, !isOver { checkPong() }
        }
        check()
    }

    private mutating func pass(_ duration: Duration) {
        now = now.advanced(by: duration)
        session.timeoutReached(at: now, &effects)
        if let next = session.nextDeadline() { must(next > now || session.isClosed, "no deadline lies behind us") }
    }

    private func checkIntroduction() {
        let commands = ["CAP ", "NICK ", "USER ", "PONG", "QUIT "].map { Array($0.utf8) }
        for case .send(let line) in effects {
            must(commands.contains { line.starts(with: $0) }, "nothing is said before the welcome")
        }
    }

    private func checkPong() {
        let isAnswered = effects.contains { effect in
            if case .send(let line) = effect { line.starts(with: Array("PONG".utf8)) } else { false }
        }
        must(isAnswered, "a PING is answered at once")
    }

    private mutating func check() {
        if isOver { must(effects.isEmpty, "nothing comes after the end") }
        if !session.isWelcomed { checkIntroduction() }
        for (index, effect) in effects.enumerated() {
            switch effect {
            case .send(let line):
                let tags = line.first == UInt8(ascii: "@") ? line.prefix { $0 != 0x20 }.count + 1 : 0
                must(tags <= 4096 && line.count - tags <= 512, "a line is short enough")
                must(line.suffix(2) == [0x0D, 0x0A], "a line has an end")
                must(!line.dropLast(2).contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "a line has one end")
            case .close:
                must(index == effects.count - 1, "the end is the last")
                isOver = true
            case .emit, .work: break
            }
        }
        must(session.queuedLines <= 64, "the queue is bounded")
        effects.removeAll(keepingCapacity: true)
    }
}
