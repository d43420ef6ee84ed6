public import Base
public import Chat
import IRC
import OpenSSL

/// One IRC network: keeps a connection, a session on it, and comes back when it is lost.
@Loop public final class IRCAdapter: ChatAdapter {
    public nonisolated let network: String

    var settings: IRCNetworkSettings
    var people: IRCPeople
    let program: IRCProgram
    let clock: any LoopClock
    let log: Log
    let answered: any AnsweredStore
    private let transport: any IRCTransport
    private let random: @Loop () -> UInt64
    private var sts: STSKeeper
    private weak var handler: (any ChatHandler)?

    /// From the dialling to the end of the TLS handshake.
    static let connectLimit = Duration.seconds(45)

    private var link: (any IRCLink)?
    /// Where the link goes: the configured endpoint, or what the server has demanded.
    private var endpoint: IRCEndpoint
    private var framer = LineFramer()
    var session: IRCSession?
    /// Of the last connection.
    private var memory = IRCSession.Memory()
    private var effects: [IRCSession.Effect] = []
    private var isApplying = false
    var typing = TypingNotices()
    var typingTimer: TimerID?
    private var timer: (id: TimerID, at: Instant)?
    private var policy: ReconnectPolicy
    private var onlineSince: Instant?
    private var isStarted = false
    private var isStopping = false
    /// Opened when lines have gone out or the connection has ended, for who waits for that.
    private var progress: Gate?
    /// What decides whether the connection works, for who tries it (`IRCProbe`).
    enum Outcome: Equatable {
        case loggedIn, online
        /// Without secrets.
        case failed(String)
    }

    var onOutcome: (@Loop (Outcome) -> Void)?
    /// The last failure told, so that the same one isn't told again and again.
    private var toldFailure: String?

    /// `random` spreads waits. `handler` is held weakly.
    public init(
        settings: IRCNetworkSettings, people: IRCPeople, program: IRCProgram = IRCProgram(),
        transport: any IRCTransport, clock: any LoopClock, answered: any AnsweredStore,
        policies: any STSStore, log: Log, handler: any ChatHandler, random: @escaping @Loop () -> UInt64
    ) {
        network = settings.name
        self.settings = settings
        endpoint = settings.connection.endpoint
        self.people = people
        self.program = program
        self.answered = answered
        self.transport = transport
        self.clock = clock
        self.log = log
        self.handler = handler
        self.random = random
        sts = STSKeeper(store: policies, clock: clock)
        policy = ReconnectPolicy(settings.reconnect)
    }

    /// Registered with the server.
    public var isOnline: Bool { session?.isOnline ?? false }

    // MARK: ChatAdapter

    public func start() {
        guard !isStarted else { return }
        isStarted = true
        if let tls = settings.connection.endpoint.tls, !tls.verifies, tls.pins.isEmpty {
            log.warning("the server's certificate is not checked", ["network": network])
        }
        connect()
    }

    public func textBudget(for message: ChatMessage) -> Int {
        let address = ReplyAddress(message.address)
        let target = address.target.utf8.count >= address.nick.utf8.count ? address.target : address.nick
        return inSession { $0.textBudget(for: target, notice: false) } ?? 300
    }

    public func stop(by deadline: Instant) async {
        isStopping = true
        let goodbye = deadline.advanced(by: .seconds(-3))
        await wait(by: goodbye) { $0.session.map { $0.isOnline && $0.queuedLines > 0 } ?? false }
        guard session != nil else {
            end()
            return
        }
        withSession { session, effects, now in session.quit("stopping", at: now, &effects) }
        apply()
        await wait(by: deadline) { $0.link != nil }
        end()
    }

    /// Closes without a word and without coming back. The program always says goodbye (`stop`); this is for those who
    /// have nothing to wait for.
    package func abandon() {
        isStopping = true
        end()
    }

    /// Waits while something still has to happen; looked at again after whatever the connection does.
    private func wait(by deadline: Instant, while isNeeded: (IRCAdapter) -> Bool) async {
        while isNeeded(self), clock.now < deadline, !Task.isCancelled {
            let gate = Gate(clock: clock)
            progress = gate
            await gate.wait(by: deadline)
        }
        progress = nil
    }

    /// Takes new settings; false, and nothing changes, where they need a new connection.
    @discardableResult
    public func update(settings new: IRCNetworkSettings, people: IRCPeople) -> Bool {
        guard !new.needsNewSession(comparedTo: settings) else { return false }
        if new.reconnect != settings.reconnect {
            policy = ReconnectPolicy(new.reconnect)
        }
        settings = new
        self.people = people
        let session = new.session(people, program)
        withSession { old, effects, now in old.update(session, at: now, &effects) }
        apply()
        return true
    }

    // MARK: The connection

    private func connect() {
        timer = nil
        guard !isStopping else { return }
        framer = LineFramer()
        endpoint = sts.endpoint(settings.connection.endpoint)
        link = transport.open(endpoint, for: self)
        schedule(at: clock.now.advanced(by: Self.connectLimit))
    }

    private func lost(
        _ text: String, _ kind: CloseReason.Kind? = nil, _ wait: (inout ReconnectPolicy, Double) -> Duration
    ) {
        let now = clock.now
        if framer.overlongLines > 0 {
            log.debug("lines too long", ["network": network, "count": "\(framer.overlongLines)"])
        }
        end()
        if let since = onlineSince, since.advanced(by: ReconnectPolicy.goodConnection) <= now {
            policy.wasGood()
            toldFailure = nil
        }
        onlineSince = nil
        guard !isStopping else { return }
        let spread = Double(random() >> 11) / Double(1 << 53)
        let wait = wait(&policy, spread)
        tellLoss(text, kind, wait)
        schedule(at: now.advanced(by: wait))
    }

    private func tellLoss(_ text: String, _ kind: CloseReason.Kind?, _ wait: Duration) {
        let fields: KeyValuePairs = [
            "network": network, "reason": text, "again_in": "\(wait.secondsRoundedUp)",
        ]
        // Some servers count the seconds until they let us in again.
        let known = text.filter { !$0.isNumber }
        guard known != toldFailure, kind != .insecure else {
            log.debug("no connection", fields)
            return
        }
        toldFailure = known
        onOutcome?(.failed(text))
        switch kind {
        case .banned: log.error("the server has banned us", fields)
        case .loginFailed: log.error("the server refuses our login", fields)
        case .asked, .normal, .throttled, .loginUnavailable, .killed, .insecure, nil:
            log.warning("no connection", fields)
        }
    }

    private func end() {
        link?.close()
        link = nil
        if let session { memory = session.memory }
        session = nil
        sts.disconnected()
        if let timer { clock.cancel(timer.id) }
        timer = nil
        stopTyping()
        progress?.open()
    }

    // MARK: Time

    /// Keeps the timer that is there if it comes early enough: most reads only put the deadline off.
    private func schedule(at instant: Instant) {
        if let timer {
            if timer.at <= instant { return }
            clock.cancel(timer.id)
        }
        let id = clock.schedule(at: instant) { [weak self] in self?.timeoutReached() }
        timer = (id, instant)
    }

    private func timeoutReached() {
        timer = nil
        if session != nil {
            withSession { session, effects, now in session.timeoutReached(at: now, &effects) }
            apply()
        } else if link != nil {
            lost("no connection in time") { $0.wait(after: IRCLinkEnd.Kind.failed, spread: $1) }
        } else {
            connect()
        }
    }

    // MARK: Effects

    /// Looks at the session in place: a copy of it costs as much as a whole command.
    func inSession<Result>(_ body: (inout IRCSession) -> Result) -> Result? {
        guard session != nil else { return nil }
        return body(&session!)
    }

    /// The session is changed in place; nothing else of the adapter is called from inside.
    @discardableResult
    func withSession<Result>(
        _ body: (inout IRCSession, inout [IRCSession.Effect], Instant) -> Result
    ) -> Result? {
        guard session != nil else { return nil }
        return body(&session!, &effects, clock.now)
    }

    /// Carries the effects out, those too that answers add meanwhile, and writes all lines at once.
    func apply() {
        guard !isApplying else { return }
        isApplying = true
        var lines: [UInt8] = []
        var end: CloseReason?
        var index = 0
        while index < effects.count {
            switch effects[index] {
            case .send(let line): lines.isEmpty ? (lines = line) : (lines += line)
            case .emit(let event): happened(event)
            case .work(let work): doOutside(work)
            case .close(let reason): end = reason
            }
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
        isApplying = false
        if !lines.isEmpty {
            link?.send(lines)
            progress?.open()
        }
        if let end {
            lost(end.text, end.kind) { $0.wait(after: end.kind, spread: $1) }
        } else if let deadline = session?.nextDeadline() {
            schedule(at: deadline)
        }
    }

    private func happened(_ event: IRCEvent) {
        switch event {
        case .message(let message):
            guard !isStopping, let message = chatMessage(message) else { break }
            // A message comes again when it is replayed after a new connection.
            if let id = message.id, answered.wasAnswered(id, in: network) { break }
            handler?.received(message, from: self)
        case .redacted(let message):
            guard !isStopping, let id = message.id, let message = chatMessage(message) else { break }
            handler?.changed(ChatChange(kind: .redacted, answer: AnswerID(id), message: message), from: self)
        case .online:
            onlineSince = clock.now
            toldFailure = nil
        case .strictTransport(let demand): sts.told(demand, over: endpoint)
        default: break
        }
        tell(event)
    }

    /// The result is for the session that asked, and lost with it.
    private func doOutside(_ work: LoginWork) {
        let key = settings.connection.login?.key
        Loop.start { [weak self, weak link] in
            let answer = await LoginDesk.shared.answer(work, key: key)
            guard let self, let link, link === self.link else { return }
            self.withSession { session, effects, now in session.worked(answer, at: now, &effects) }
            self.apply()
        }
    }
}

extension IRCAdapter: IRCLinkOwner {
    public func opened(_ link: any IRCLink) {
        guard link === self.link, session == nil else { return }
        var settings = settings.session(people, program)
        settings.isSecure = endpoint.tls != nil
        session = IRCSession(settings: settings, seed: random(), at: clock.now, memory: memory)
        withSession { session, effects, now in session.connected(at: now, &effects) }
        apply()
    }

    public func received(_ bytes: UnsafeRawBufferPointer, on link: any IRCLink) {
        guard link === self.link, session != nil else { return }
        let wall = clock.wall.milliseconds
        withFramer { framer in
            withSession { session, effects, now in
                session.received(bytes, through: &framer, at: now, wall: wall, &effects)
            }
        }
        apply()
    }

    public func closed(_ end: IRCLinkEnd, _ link: any IRCLink) {
        guard link === self.link else { return }
        guard let reason = withSession({ session, _, _ in session.disconnected() }) else {
            lost(end.text) { $0.wait(after: end.kind, spread: $1) }
            return
        }
        // What the server said before it went tells more than how the connection broke.
        let isTold = end.kind == .byPeer || reason.kind == .banned || reason.kind == .loginFailed
        let text = isTold ? reason.text : end.text
        lost(text, reason.kind) { $0.wait(after: reason.kind, spread: $1) }
    }

    private func withFramer(_ body: (inout LineFramer) -> Void) {
        body(&framer)
    }
}
