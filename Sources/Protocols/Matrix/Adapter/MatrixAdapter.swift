public import Base
public import Chat
public import HTTP
import Matrix

/// One Matrix account: signs in, reads `/sync`, hands messages over, and sends answers from a queue for each room.
///
/// Encryption isn't built yet: in an encrypted room nothing is heard and nothing is said.
@Loop public final class MatrixAdapter: ChatAdapter {
    /// Bytes; an event may have 65,536 with the HTML beside the text and all of it escaped.
    static let textBudget = 4000
    /// The power level from which people count as operators.
    static let operatorLevel = 50

    public let network: String
    /// Why the account does nothing until its settings change; nil while it is at work. For the operator.
    public internal(set) var haltReason: String?

    var settings: MatrixAccountSettings
    var admins: Set<String>
    var ignored: Set<String>
    var ageLimit: Duration

    let calls: Calls
    let clock: any LoopClock
    let store: any MatrixStore
    let log: Log
    let handler: any ChatHandler
    let random: () -> Double
    let sender: EventSender
    let joiner: RoomJoiner
    let leaver: RoomLeaver

    var session: SyncSession?
    var names = RoomNames()
    var displayName: String?
    /// When the sync started without a position. A first answer may come out of a cache that is minutes old, so that the
    /// second one brings old messages as news: nothing from before this instant is handed over.
    private(set) var freshSince: Instant?
    var failures = FailureLog()
    private var handover = Handover()
    private var transactions = TransactionIDs()
    /// Commands taken back; an answer that comes later is not sent.
    private var redacted = RecentIDs(capacity: 1000)
    /// Rooms that the account was made to leave, or left: they aren't entered again by themselves.
    var removed = RecentIDs(capacity: 1000)
    let work = RunningTasks<Work>()
    private var isStopped = false

    enum Work: Hashable, Sendable {
        case account
        /// What the config says about rooms, looked at now and then.
        case rooms
    }

    /// `admins` and `ignore` are user ids; messages older than `ageLimit` are not handed over; `random` gives numbers
    /// in 0..<1.
    public init(
        settings: MatrixAccountSettings, admins: [String], ignore: [String], ageLimit: Duration,
        http: any HTTPClient, clock: any LoopClock, store: any MatrixStore, log: Log, handler: any ChatHandler,
        random: @escaping () -> Double
    ) {
        network = settings.name
        self.settings = settings
        self.admins = Set(admins)
        ignored = Set(ignore)
        self.ageLimit = ageLimit
        self.clock = clock
        self.store = store
        self.log = log
        self.handler = handler
        self.random = random
        calls = Calls(http: http)
        sender = EventSender(calls: calls, clock: clock, log: log)
        joiner = RoomJoiner(calls: calls, clock: clock, log: log, random: random)
        leaver = RoomLeaver(calls: calls, clock: clock, log: log, random: random)
        names.configure(settings.rooms)
        sender.settled = { [weak self] event in self?.settled(event) }
        joiner.entered = { [weak self] asked, room in self?.names.resolved(asked, to: room) }
    }

    public func start() {
        guard !isStopped else { return }
        haltReason = nil
        work.start(.account) { [weak self] in await self?.live() }
    }

    /// New settings from a reload. The session goes on unless what it was signed in with changed, or it had come to a
    /// halt.
    public func update(
        settings new: MatrixAccountSettings, admins: [String], ignore: [String], ageLimit: Duration
    ) {
        let old = settings
        settings = new
        self.admins = Set(admins)
        ignored = Set(ignore)
        self.ageLimit = ageLimit
        names.configure(new.rooms)
        if !new.isSameSession(as: old) || haltReason != nil {
            joiner.stop()
            leaver.stop()
            start()
        } else if new.rooms != old.rooms {
            removed = RecentIDs(capacity: 1000)
            enterConfiguredRooms()
        }
    }

    public func stop(by deadline: Instant) async {
        isStopped = true
        work.cancelAll()
        joiner.stop()
        leaver.stop()
        await sender.drain(by: deadline)
        sender.clear()
        savePosition()
    }

    public func textBudget(for message: ChatMessage) -> Int { Self.textBudget }
    public func revise(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        .refused("nothing can be changed here")
    }

    public func retract(_ answer: AnswerID, for message: ChatMessage) -> SendOutcome {
        .refused("nothing can be taken back here")
    }

    public func began(_ message: ChatMessage) {
        if let id = message.id { handover.began(id) }
    }

    public func finished(_ message: ChatMessage) {
        guard let id = message.id, handover.finished(id) else { return }
        doneWith(id)
    }

    public func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        guard let id = message.id, let address = RoomAddress(message.address) else {
            return .refused("the message has no address here")
        }
        if let reason = refusal(of: reply, to: message, id, in: address.room) { return .refused(reason) }
        let content = ReplyContent(text: reply.text, url: reply.url, answers: id, thread: address.thread)
        let event = OutgoingEvent(
            room: address.room, type: "m.room.message", transactionID: transactions.next(answering: id),
            content: content.json(), answers: id)
        // Before the queue has it: it may be sent before `add` returns.
        handover.queued(id)
        guard sender.add(event) else {
            if handover.settled(id) { doneWith(id) }
            return .refused("the room's queue is full")
        }
        return .accepted
    }

    private func refusal(of reply: Reply, to message: ChatMessage, _ id: String, in roomID: String) -> String? {
        if let haltReason { return haltReason }
        guard let session, let room = session.rooms[roomID] else { return "not in the room" }
        if reply.audience == .asker, !message.conversation.isDirect { return "there is no way to tell only the asker" }
        if !room.isPlain { return "the room is encrypted" }
        if !room.maySpeak(session.userID) { return "not allowed to speak in the room" }
        return redacted.contains(id) ? "the command was redacted" : nil
    }

    // MARK: What the sync brought

    /// Takes over a batch and hands over what people wrote; then the position moves as far as everything is done with.
    func take(_ batch: SyncBatch) {
        guard var session else { return }
        let effects = session.received(batch)
        self.session = session
        learnUpgrades(effects)
        var messages: [String: ChatMessage] = [:]
        for case .message(let message) in effects { messages[message.id] = chatMessage(message) }
        handover.received(position: batch.next, now: clock.now)
        for effect in effects { act(on: effect, messages) }
        savePosition()
    }

    /// The same user's session goes on over a new sign-in: what was seen stays seen.
    func adopt(_ userID: String) {
        guard session?.userID != userID else { return }
        handover = Handover()
        let position = store.syncPosition(of: userID)
        session = SyncSession(userID: userID, position: position)
        names.restore(store.upgrades(of: userID))
        freshSince = position == nil ? clock.now : nil
    }

    private func act(on effect: SyncEffect, _ messages: [String: ChatMessage]) {
        switch effect {
        case .message(let message):
            guard let chat = messages[message.id], !store.wasAnswered(message.id, in: network) else { return }
            handler.received(chat, from: self)
        case .redacted(let redaction):
            redacted.insert(redaction.event)
            sender.redacted(redaction.event, in: redaction.room)
        case .edited, .reacted: break
        case .invited(let invite): invited(invite)
        case .joined(let room): joined(room)
        case .left(let room): left(room)
        case .alone(let room): alone(in: room)
        case .space(let room): foundSpace(room)
        case .encrypted(let room):
            log.warning("the room is encrypted, which isn't supported yet: nothing is said there", ["room": room])
        case .upgraded(let upgrade): upgraded(upgrade)
        }
    }

    private func settled(_ event: OutgoingEvent) {
        if handover.settled(event.answers) { doneWith(event.answers) }
    }

    /// All that was said to a command is safe. The id is written with the position or before it, never after.
    private func doneWith(_ command: String) {
        store.record(answered: command, in: network, at: clock.wall)
        savePosition()
    }

    func savePosition() {
        guard let position = handover.advance(now: clock.now) else { return }
        guard let account = session?.userID, position != store.syncPosition(of: account) else { return }
        store.save(syncPosition: position, of: account)
    }

    /// The stored position is worth nothing: what hangs on it is forgotten too.
    func forgetPosition() {
        handover = Handover()
        freshSince = clock.now
        if let account = session?.userID { store.save(syncPosition: nil, of: account) }
    }
}
