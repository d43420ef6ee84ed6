/// A conversation with one IRC server, from the connection to its end, without sockets, clocks or randomness of its
/// own: lines and moments come in, effects come out.
///
/// `effects` is the caller's, who empties it and uses it again. Nothing is appended after `.close`.
public struct IRCSession: Sendable {
    /// What outlives a connection: the ids of messages stay good.
    public struct Memory: Sendable {
        var answers = SentAnswers()
        var recentIDs = RecentIDs()

        public init() {}

        init(answers: SentAnswers, recentIDs: RecentIDs) {
            self.answers = answers
            self.recentIDs = recentIDs
        }
    }

    public internal(set) var settings: IRCSettings
    /// Ours, as the server last said.
    public internal(set) var nick: String
    let origin: Origin
    var phase = Phase.idle
    var capabilities = Capabilities()
    var support = ServerSupport()
    var channels = ChannelBook()
    var people = People()
    var replay = Replay()
    var outbox: Outbox
    var answers: SentAnswers
    var inquiries = Inquiries()
    var multilines = Multilines()
    var nickWatch = NickWatch()
    /// Channels whose people are still to be asked for with WHO.
    var unasked: [FoldedName] = []
    /// People who take no messages from us for now.
    var shut: [FoldedName: Tick] = [:]
    var relevance = Relevance()
    var recentIDs: RecentIDs
    var random: Randomness
    /// How others see us; nil until the server shows it.
    var user: String?
    var host: String?
    /// 001 has come.
    public internal(set) var isWelcomed = false
    var isLoggedIn = false
    var login = LoginState()
    /// So that the same demand, repeated, is told once.
    var toldTransport: StrictTransport?
    var lastHeard: Tick
    /// When our own PING went out; nil once anything has come since.
    var pingSince: Tick?
    /// Its token, by which the answer is known.
    var pingToken: String?
    /// Channels are joined after NickServ has answered, or then.
    var joinsHeldUntil: Tick?
    /// Our clock's lead over the server's, in milliseconds, measured with PING.
    var clockLead: Int64 = 0
    var isClockKnown = false
    /// When 001 came, in milliseconds since 1970 by our clock.
    var welcomedAt: Int64 = 0
    var ctcpPace = Pace(flood: IRCSettings.Flood(lines: 3, interval: .seconds(5)))
    /// What the server said before it hung up without ERROR.
    var farewell: CloseReason?

    /// `seed` spreads waits and makes PING tokens.
    /// `memory` is that of the connection before.
    public init(
        settings: IRCSettings, seed: UInt64, at now: ContinuousClock.Instant, memory: Memory = Memory()
    ) {
        self.settings = settings
        answers = memory.answers
        recentIDs = memory.recentIDs
        nick = settings.nick
        random = Randomness(seed: seed)
        outbox = Outbox(flood: settings.flood)
        origin = Origin(now)
        lastHeard = origin.tick(now)
        fileChannels()
        configureRelevance()
    }

    public var memory: Memory { Memory(answers: answers, recentIDs: recentIDs) }

    public var isOnline: Bool {
        if case .online = phase { true } else { false }
    }

    public var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    /// Lines that wait for their turn.
    public var queuedLines: Int { outbox.count }

    /// The connection, with TLS if any, stands.
    public mutating func connected(at now: ContinuousClock.Instant, _ effects: inout [Effect]) {
        guard case .idle = phase else { return }
        let now = origin.tick(now)
        lastHeard = now
        phase = .registering(
            Registration(
                limit: now.advanced(by: settings.registrationLimit),
                stepLimit: now.advanced(by: settings.registrationLimit)
            ))
        sendNow(IRCMessage("CAP", ["LS", "302"]), at: now, &effects)
        introduceOrWait(at: now, &effects)
    }

    /// For tests: whether a line needs `received` at all. Cheap, and exact only in what it refuses.
    package func canMatter(_ line: UnsafeRawBufferPointer) -> Bool {
        relevance.canMatter(line)
    }

    /// Bytes came, of whatever kind: the server is there.
    public mutating func heard(at now: ContinuousClock.Instant) {
        lastHeard = origin.tick(now)
        pingSince = nil
    }

    /// Bytes as they were read: cut into lines, of which those that can matter are taken in. This is the way for
    /// everything a connection reads; a line that can't matter costs some ten nanoseconds here.
    public mutating func received(
        _ bytes: UnsafeRawBufferPointer, through framer: inout LineFramer, at now: ContinuousClock.Instant,
        wall: Int64, _ effects: inout [Effect]
    ) {
        heard(at: now)
        let moment = Moment(now: lastHeard, wall: wall)
        framer.append(bytes) { line in
            guard relevance.canMatter(line),
                let message = IRCMessage(parsing: line, encoding: settings.encoding)
            else { return }
            received(message, moment, &effects)
        }
    }

    /// For tests: one line without its end. `wall` is milliseconds since 1970, for the age of messages.
    package mutating func received(
        _ line: UnsafeRawBufferPointer, at now: ContinuousClock.Instant, wall: Int64, _ effects: inout [Effect]
    ) {
        guard let message = IRCMessage(parsing: line, encoding: settings.encoding) else { return }
        heard(at: now)
        received(message, Moment(now: lastHeard, wall: wall), &effects)
    }

    /// Bytes of text that others receive whole. A server puts our address in front of the line and cuts what is over
    /// 512 then; until it has shown our address the longest one is assumed.
    public func textBudget(for target: String, notice: Bool) -> Int {
        let address = ":".utf8.count + nick.utf8.count + 1 + (user?.utf8.count ?? 10) + 1 + (host?.utf8.count ?? 63) + 1
        let command = (notice ? "NOTICE" : "PRIVMSG").utf8.count + 1 + target.utf8.count + " :".utf8.count
        return max(0, support.lineLength - 2 - address - command)
    }

    /// Says goodbye at once, ahead of what waits, which is thrown away.
    public mutating func quit(_ reason: String, at now: ContinuousClock.Instant, _ effects: inout [Effect]) {
        let now = origin.tick(now)
        switch phase {
        case .idle: close(CloseReason(.asked, reason), &effects)
        case .registering, .online:
            phase = .quitting(until: now.advanced(by: settings.quitLimit))
            sendNow(IRCMessage("QUIT", [reason]), at: now, &effects)
        case .quitting, .closed: break
        }
    }

    /// The connection ended without a word of ours: why, as far as we know. The session is over.
    public mutating func disconnected() -> CloseReason {
        defer { phase = .closed }
        return switch phase {
        case .quitting: farewell ?? CloseReason(.asked, "closed after QUIT")
        case .idle, .registering, .online, .closed:
            // Some servers refuse those who come too fast without a word.
            farewell
                ?? (isWelcomed
                    ? CloseReason(.normal, "the connection was closed")
                    : CloseReason(.throttled, "the connection was closed before the welcome"))
        }
    }
}
