public import Base
public import Chat
public import HTTP
import Matrix
import MatrixCrypto

/// One Matrix account: signs in, reads `/sync`, hands messages over, and sends answers from a queue for each room.
@Loop public final class MatrixAdapter: ChatAdapter {
    /// Bytes; an event may have 65,536 with the HTML beside the text and all of it escaped.
    static let textBudget = 4000
    /// The power level from which people count as operators.
    static let operatorLevel = 50

    public let network: String
    public var showsMedia: Bool { true }
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
    let manners: Manners
    let uploads: Uploads

    /// The token in force.
    var access: Access?
    /// The sync under way.
    var poll: Task<Result<SyncBatch, MatrixError>, Never>?
    var renewalTimer: TimerID?
    var isRenewalDue = false
    /// The server said that the token won't come back, not only that it has ended.
    var isLoggedOut = false
    var renewed: Instant?
    var session: SyncSession?
    var names = RoomNames()
    var displayName: String?
    /// When the sync started without a position. A first answer may come out of a cache that is minutes old, so that the
    /// second one brings old messages as news: nothing from before this instant is handed over.
    private(set) var freshSince: Instant?
    var failures = FailureLog()
    var handover = Handover()
    var transactions = TransactionIDs()
    /// Rooms that the account was made to leave, or left: they aren't entered again by themselves.
    var removed = RecentIDs(capacity: 1000)
    let work = RunningTasks<Work>()
    /// Commands taken back, each after its room; an answer that comes later is not sent.
    var redacted = RecentIDs(capacity: 1000)
    /// Commands and their answers, and what is queued of them by transaction id.
    var book = AnswerBook()
    var letters: [String: Letter] = [:]
    /// Events that go encrypted or not at all, by transaction id.
    var sealedOnly: Set<String> = []
    /// Changes of answers so far, for their transaction ids.
    var changes = 0
    var directChats = DirectChats(capacity: directChatCapacity)
    /// Into doubtful ones, by room.
    let looks = RunningTasks<String>()
    /// Rooms that a look found to be no chats of two, while the batch that it was for isn't taken.
    var crowds: Set<String> = []
    /// Who invited the account to chats of two where it isn't yet.
    var directInviters: [String: String] = [:]
    /// By transaction id.
    var confidences: [String: Confidence] = [:]
    private(set) var isStopped = false
    /// Stopped, and what was queued is sent or given up.
    private(set) var isOver = false

    /// Where machines come from; nil where there is no encryption.
    let crypto: (any CryptoSource)?
    /// Of the device that is signed in; nil while there is none at work.
    var encryption: Encryption?
    /// Devices that turned out to have lost their keys.
    var foreignDevices: Set<String> = []
    var isNewDeviceDue = false
    /// The server said of the last device that it was logged out.
    var isDeviceGone = false
    /// What the batch under way holds and can't be read yet.
    var waitingForKeys: [(SealedEvent, session: String)] = []
    /// Sessions whose keys came while that batch was under way.
    var keysMeanwhile: Set<String> = []
    var late = LateMessages()
    /// What an encryption that was closed hadn't kept yet; for the next one.
    var openNote = Encryption.Note()
    /// Why the keys aren't at work, as long as they may be later.
    var keyTrouble: KeyTrouble?
    /// Of a first batch that was taken while they weren't.
    var keysOfFirstBatch: CryptoSync?
    var lateTimer: TimerID?
    /// Who answers for this account when somebody verifies it; nil in a running bot.
    weak var attendant: (any VerificationAttendant)?
    /// Whom requests ask that are on their way, by transaction id.
    var verificationRequests: [String: String] = [:]

    enum Work: Hashable, Sendable {
        case account
        /// Its name and picture, when the config has others.
        case profile
        /// What the config says about rooms, looked at now and then.
        case rooms
    }

    /// `admins` and `ignore` are user ids; messages older than `ageLimit` are not handed over; `random` gives numbers
    /// in 0..<1.
    public init(
        settings: MatrixAccountSettings, admins: [String], ignore: [String], ageLimit: Duration,
        http: any HTTPClient, clock: any LoopClock, store: any MatrixStore, log: Log, handler: any ChatHandler,
        crypto: (any CryptoSource)? = nil, random: @escaping () -> Double
    ) {
        self.crypto = crypto
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
        manners = Manners(calls: calls, clock: clock)
        uploads = Uploads(calls: calls, clock: clock, store: store, log: log)
        names.configure(settings.rooms)
        manners.showsTyping = settings.typing
        sender.patience = settings.sendWithin
        manners.mayShow = { [weak self] room in self?.mayShow(room) ?? false }
        sender.prepare = { [weak self] event in self?.prepare(event) ?? .nothing }
        sender.mayPut = { [weak self] event in
            guard let self else { return false }
            return mayStillBeRead(event) && mayPut(event)
        }
        sender.delivered = { [weak self] event, id in self?.delivered(event, as: id) }
        sender.tokenRefused = { [weak self] in self?.renewSoon() }
        sender.accountShut = { [weak self] error in self?.shut(error) }
        sender.settled = { [weak self] event in self?.settled(event) }
        sender.abandoned = { [weak self] event in self?.abandoned(event) }
        joiner.mayEnter = { [weak self] in await self?.introduce() }
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
        manners.showsTyping = new.typing
        sender.patience = new.sendWithin
        guard !new.needsNewSession(comparedTo: old), haltReason == nil else {
            joiner.stop()
            leaver.stop()
            return start()
        }
        if new.displayName != old.displayName || new.avatar != old.avatar { showProfile() }
        if new.rooms != old.rooms {
            removed = RecentIDs(capacity: 1000)
            enterConfiguredRooms()
        }
    }

    public func stop(by deadline: Instant) async {
        // The other side isn't left waiting for the last word.
        if attendant != nil { await encryption?.settleVerifications(by: deadline) }
        isStopped = true
        work.cancelAll()
        looks.cancelAll()
        if let renewalTimer { clock.cancel(renewalTimer) }
        joiner.stop()
        leaver.stop()
        await sender.drain(by: deadline)
        await manners.stop(by: min(deadline, clock.now + Manners.patience))
        isOver = true
        sender.clear()
        savePosition()
        // They hold the position back also after this: the next start reads them again.
        late = LateMessages()
        await closeEncryption()
    }

    public func textBudget(for message: ChatMessage) -> Int { Self.textBudget }
    public func began(_ message: ChatMessage) {
        guard let id = message.id, let address = RoomAddress(message.address) else { return }
        handover.began(id)
        guard !isStopped else { return }
        note(id, for: message, address)
        manners.began(id, in: address.room, thread: address.thread)
    }

    public func finished(_ message: ChatMessage) {
        guard let id = message.id else { return }
        manners.finished(id, isSending: book[id]?.queued != nil)
        // What ends after that was said to nobody: the next start reads its command again.
        if !isOver, handover.finished(id) { doneWith(id) }
    }

    // MARK: What the sync brought

    /// Takes over a batch and hands over what people wrote; then the position moves as far as everything is done with.
    func take(_ batch: SyncBatch) {
        guard var session else { return }
        let effects = session.received(batch)
        self.session = session
        learnUpgrades(effects)
        noteRooms(effects)
        handover.received(position: batch.next, now: clock.now)
        waitForKeys()
        act(on: effects)
        crowds = []
        savePosition()
    }

    /// What of a batch needs no keys, while those that it brings can't be kept. The position stays, since the server forgets keys
    /// once it is passed: the batch is told again, with what came since. Without a position nothing would be answered, so a
    /// first batch is passed, and its keys are kept in memory.
    func takePlain(_ batch: SyncBatch) {
        guard var session else { return }
        let isFirst = session.position == nil
        if isFirst { keysOfFirstBatch = batch.crypto }
        let effects = session.received(batch, movesOn: isFirst)
        self.session = session
        learnUpgrades(effects)
        noteRooms(effects)
        act(
            on: effects.filter { effect in
                guard case .invited(let invite) = effect else { return true }
                return !joiner.isEntering(invite.room)
            })
        crowds = []
    }

    func act(on effects: [SyncEffect]) {
        var messages: [String: ChatMessage] = [:]
        for case .message(let message) in effects { messages[message.id] = chatMessage(message) }
        for effect in effects { act(on: effect, messages) }
    }

    /// The same user's session goes on over a new sign-in and over encryption being switched: what was seen stays seen, since its
    /// commands are still worked on. Another session starts as the program does: nothing is known of rooms, and what waited to
    /// be said is forgotten, since its commands are read again.
    func adopt(_ userID: String) {
        // Keys that can't be kept now will be.
        let encrypts = encryption != nil || holdsPosition
        guard session?.userID != userID else {
            session?.switchEncryption(to: encrypts)
            if !encrypts { openNote = Encryption.Note() }
            return
        }
        sender.clear()
        letters = [:]
        late = LateMessages()
        openNote = Encryption.Note()
        keysOfFirstBatch = nil
        transactions = TransactionIDs()
        handover = Handover()
        let position = store.syncPosition(of: userID)
        session = SyncSession(
            userID: userID, position: position, encrypts: encrypts, encryptedRooms: store.encryptedRooms(of: userID))
        names.restore(store.upgrades(of: userID))
        restoreDirectChats(of: userID)
        book = AnswerBook()
        for answer in store.answers(of: userID) { book.note(GivenAnswer(answer)) }
        freshSince = position == nil ? clock.now : nil
    }

    private func act(on effect: SyncEffect, _ messages: [String: ChatMessage]) {
        switch effect {
        case .message(let message):
            if message.isDirect { noteDirectChat(message.room, with: message.sender) }
            guard let chat = messages[message.id], !store.wasAnswered(message.id, in: network) else { return }
            handler.received(chat, from: self)
        case .redacted(let redaction): tookBack(redaction)
        case .edited(let message): edited(message)
        case .reacted(let reaction): reacted(reaction)
        case .invited(let invite): invited(invite)
        case .joined(let room): joined(room)
        case .left(let room): left(room)
        case .alone(let room): alone(in: room)
        case .parted(let user, let room): parted(user, from: room)
        case .crowded(let room): crowded(room)
        case .space(let room): foundSpace(room)
        // Noted before anything is answered.
        case .encrypted(let room), .readersChanged(let room): sender.prepareAnew(room)
        case .upgraded(let upgrade): upgraded(upgrade)
        case .verification(let message): verificationCame(message)
        }
    }

    /// All that was said to a command is safe. The id is written with the position or before it, never after.
    func doneWith(_ command: String) {
        store.record(answered: command, in: network, at: clock.wall)
        savePosition()
    }

    func savePosition() {
        // What a batch says of rooms and keys is safe before its position is.
        guard openNote.isEmpty, encryption?.openNote.isEmpty ?? true else { return }
        guard let position = handover.advance(now: clock.now) else { return }
        guard let account = session?.userID, position != store.syncPosition(of: account) else { return }
        store.save(syncPosition: position, of: account)
    }

    /// The stored position is worth nothing: what hangs on it is forgotten too.
    func forgetPosition() {
        handover = Handover()
        encryption?.forgetPosition()
        doubtDirectChats()
        freshSince = clock.now
        if let account = session?.userID { store.save(syncPosition: nil, of: account) }
    }
}
