public import Base
public import Chat
import GiphySearch
import RateLimiter

/// From message to answer: parses, admits, searches, picks, replies. It does no I/O; what needs no waiting is one
/// synchronous call from the adapter's read callback.
@Loop public final class Bot: ChatHandler {
    /// Commands that may wait for a source at one time; what comes on top is shed.
    static let capacity = 256

    /// Swapped as a whole at a reload; a command in progress keeps those it began with.
    public var settings: BotSettings {
        didSet {
            inForce.take(settings)
            keyNotice.reset()
        }
    }
    public var about: About
    /// The program around the bot; without one there is nothing to reload.
    public weak var control: (any BotControl)?
    /// Who is ignored beside those that the config names.
    public internal(set) var ignoredByChat: [BotSectionSettings.Person] = []
    public internal(set) var counts = BotCounts()
    /// Commands that wait for a source.
    public private(set) var inProgress = 0

    let search: any GifSearch
    let store: any BotStore
    let clock: any LoopClock
    let log: Log
    let started: Instant
    var admission: Admission
    /// What was set by chat.
    var record: AdminRecord
    var inForce: SettingsInForce
    /// Lines that aren't answers (usage, help, "nothing found"), then silence: another bot that answers every line of ours would
    /// go on for ever.
    var hints = PersonalPace(perMinute: 6)
    /// For operators, anybody with a room of their own being one: each change costs a write and a line of the audit log.
    var changesPace = PersonalPace(perMinute: 30)
    var troubles = TroubleWindows()
    var keyNotice = KeyNotice()
    /// Searches held for paging.
    var choices = Choices()
    /// A timer lets go of those that aren't used any more.
    var isExpiring = false
    var book = AnswerBook()
    var edits: [EditKey: PendingEdit] = [:]
    private var namesGiven: UInt64 = 0
    private(set) var isClosed = false
    private var idleWaiters: [Gate] = []

    /// Takes up the limits that the store has kept.
    public init(
        settings: BotSettings, about: About, search: any GifSearch, store: any BotStore, clock: any LoopClock, log: Log
    ) {
        self.settings = settings
        self.about = about
        self.search = search
        self.store = store
        self.clock = clock
        self.log = log
        started = clock.now
        admission = Admission(store: store, clock: clock)
        record = store.takeAdminRecord()
        inForce = SettingsInForce(settings)
        ignoredByChat = record.ignored
    }

    public func received(_ message: ChatMessage, from adapter: any ChatAdapter) {
        let channel = inForce.channel(for: message.conversation, record)
        guard message.age <= channel.settings.ageLimit,
            let command = channel.parser.parse(
                message.text, isAddressed: message.isAddressed || message.conversation.isDirect),
            isAnswered(message, channel.settings) || isAdministration(command, message.sender)
        else { return }
        // Begun and never finished: where the protocol can, it is handed over again at the next start.
        guard !isClosed else { return adapter.began(message) }
        counts.commands += 1
        perform(command, Request(message: message, adapter: adapter, channel: channel, id: answerID(for: message)))
    }

    public func changed(_ change: ChatChange, from adapter: any ChatAdapter) {
        guard !isClosed else { return }
        switch change.kind {
        case .edited: edited(change, adapter)
        case .redacted: redacted(change, adapter)
        case .reacted(let reaction): reacted(reaction, change, adapter)
        }
    }

    func perform(_ command: Command, _ request: Request) {
        request.hand.hold()
        noteAdmin(request)
        begin(command, request)
        release(request)
    }

    /// Where the adapter has noted that the command is being answered, that is on disk before it is: after a crash it may come
    /// again. That takes a fraction of a millisecond, in which the loop does something else.
    private func begin(_ command: Command, _ request: Request) {
        guard store.owesWriting, inProgress < Self.capacity else { return run(command, request) }
        // An edit isn't admitted yet: what is in the book under its id stays.
        if command.isSearch, !request.isEdit { book.noteWaiting(request, at: clock.now) }
        afterWriting(request) { _ in
            if !request.hand.isWithdrawn { self.run(command, request) }
        }
    }

    /// Work on a command came to its end, or to where somebody else goes on with it.
    func release(_ request: Request) {
        request.hand.release()
        if request.hand.isOver, request.hand.isInBook {
            book.settle(request.id, in: request.conversation, request.hand)
        }
    }

    /// A message without an id has its answer named by the bot; the names are never used twice in one run of the program.
    private func answerID(for message: ChatMessage) -> AnswerID {
        if let id = message.id { return AnswerID(id) }
        namesGiven += 1
        return AnswerID("~" + String(namesGiven))
    }

    /// Takes no new command from now on; those in progress are finished.
    public func close() {
        isClosed = true
    }

    /// Returns once no command is in progress, at the latest at `deadline`.
    public func waitUntilIdle(by deadline: Instant? = nil) async {
        guard inProgress > 0 else { return }
        let gate = Gate(clock: clock)
        idleWaiters.append(gate)
        await gate.wait(by: deadline)
    }

    func isAnswered(_ message: ChatMessage, _ settings: ChannelSettings) -> Bool {
        settings.isEnabled && (settings.answersPrivately || !message.conversation.isDirect)
    }

    /// Whoever switched the bot off can switch it on again.
    private func isAdministration(_ command: Command, _ sender: Sender) -> Bool {
        guard sender.isAdmin || sender.isOperator, case .named(let entry, _) = command else { return false }
        return entry == .admin
    }

    /// Runs what of a command has to wait. The caller has made sure that there is room.
    func startWaiting(_ request: Request, _ work: @escaping @Loop @Sendable () async -> Void) {
        inProgress += 1
        counts.waits += 1
        request.hand.hold()
        let began = clock.now
        Loop.start {
            await work()
            self.release(request)
            self.inProgress -= 1
            self.counts.longestWait = max(self.counts.longestWait, began.duration(to: self.clock.now))
            if self.inProgress == 0 { self.becameIdle() }
        }
    }

    private func becameIdle() {
        let waiters = idleWaiters
        idleWaiters = []
        for waiter in waiters { waiter.open() }
    }
}
