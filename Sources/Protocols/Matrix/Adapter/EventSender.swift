import Base
import Matrix

/// What has to be known before an event can be put.
enum Preparation {
    case ready(OutgoingEvent)
    /// Comes of something slow, an upload or keys. Only the event's own room waits.
    case later(@Loop @Sendable () async -> Made)
    /// There is nothing to send any more.
    case nothing
}

/// What came of something slow.
enum Made {
    case event(OutgoingEvent)
    /// It isn't wanted any more.
    case nothing
    /// It is wanted, and nobody gets it.
    case failed(String)
}

/// Drives the outbox: what it says is due is put to the server, what comes of it is told back.
@Loop final class EventSender {
    enum Withdrawal {
        case dropped
        /// It may have arrived already.
        case tooLate
        /// It isn't here (any more).
        case unknown
    }

    static let waitedTooLong = "it waited for too long"

    private let calls: Calls
    private let clock: any LoopClock
    private let log: Log
    private var outbox = Outbox()
    /// By transaction id.
    private let tasks = RunningTasks<String>()
    /// What was made of events that wait for their turn, by transaction id.
    private var made: [String: OutgoingEvent] = [:]
    private var timer: TimerID?
    private var drained: CheckedContinuation<Void, Never>?
    /// Answers that nobody got, since the start.
    private(set) var givenUp = 0

    private var server: Homeserver?
    var prepare: (OutgoingEvent) -> Preparation = { .ready($0) }
    /// Asked of every event as it is put, last of all: one that may not be is dropped.
    var mayPut: (OutgoingEvent) -> Bool = { _ in false }
    /// The server has it, under this id.
    var delivered: (OutgoingEvent, String) -> Void = { _, _ in }
    /// The server doesn't know the token (any more); what waits is kept.
    var tokenRefused: () -> Void = {}
    /// The account may not speak at all (any more).
    var accountShut: (MatrixError) -> Void = { _ in }
    /// An event was sent or dropped: nothing more happens with it.
    var settled: (OutgoingEvent) -> Void = { _ in }
    /// An event was given up together with everything else.
    var abandoned: (OutgoingEvent) -> Void = { _ in }

    init(calls: Calls, clock: any LoopClock, log: Log) {
        self.calls = calls
        self.clock = clock
        self.log = log
    }

    /// How long an answer may wait.
    var patience: Duration {
        get { outbox.patience }
        set { outbox.patience = newValue }
    }

    /// Signed in (again): what was held back goes out.
    func resume(with server: Homeserver) {
        guard self.server != server || outbox.isPaused else { return }
        self.server = server
        // Another device has other keys.
        made = [:]
        outbox.resume()
        pump()
    }

    /// False when the queue is full.
    func add(_ event: OutgoingEvent) -> Bool {
        guard outbox.add(event, now: clock.now) else { return false }
        pump()
        return true
    }

    /// Until when it is worth sending.
    func deadline(of event: OutgoingEvent) -> Instant {
        outbox.deadline(of: event.transactionID, in: event.room) ?? clock.now
    }

    func isLimited(_ room: String) -> Bool { outbox.isLimited(room) }

    func isUntouched(_ transactionID: String, in room: String) -> Bool {
        outbox.place(of: transactionID, in: room) == .waiting
    }

    /// Drops an event that the server hasn't got, one whose upload is under way too.
    func withdraw(_ transactionID: String, in room: String) -> Withdrawal {
        guard let event = outbox.withdraw(transactionID, in: room) else {
            return outbox.place(of: transactionID, in: room) == nil ? .unknown : .tooLate
        }
        drop(event)
        pump()
        return .dropped
    }

    func redacted(_ eventID: String, in room: String) {
        let events = outbox.redacted(eventID, in: room)
        if !events.isEmpty { log.debug("answers to a redacted command were dropped", ["room": room]) }
        for event in events { drop(event) }
        pump()
    }

    func left(_ room: String) {
        for event in outbox.left(room) { drop(event) }
        pump()
    }

    /// What was made of an event of this room, and waits for its turn, isn't right any more.
    func prepareAnew(_ room: String) {
        for event in outbox.events(in: room) { made[event.transactionID] = nil }
    }

    /// Gives up everything: the account is of no use any more.
    func clear() {
        let events = outbox.clear()
        server = nil
        tasks.cancelAll()
        made = [:]
        if let timer { clock.cancel(timer) }
        timer = nil
        if !events.isEmpty { log.warning("answers were not sent", ["count": String(events.count)]) }
        for event in events { abandoned(event) }
        checkDrained()
    }

    /// Returns when everything is sent or given up, or at the deadline.
    func drain(by deadline: Instant) async {
        guard !outbox.isEmpty, deadline > clock.now else { return }
        let alarm = clock.schedule(at: deadline) { [weak self] in self?.wakeDrain() }
        await withCheckedContinuation { drained = $0 }
        clock.cancel(alarm)
    }

    private func pump() {
        guard let server else { return }
        // What isn't ready makes room for others.
        while true {
            let due = outbox.due(now: clock.now)
            for event in due.givenUp { giveUp(event, reason: Self.waitedTooLong) }
            if due.send.isEmpty { break }
            for event in due.send { transmit(event, to: server) }
        }
        arm()
    }

    private func transmit(_ event: OutgoingEvent, to server: Homeserver) {
        if let whole = made.removeValue(forKey: event.transactionID) { return put(whole, as: event, to: server) }
        switch prepare(event) {
        case .ready(let whole): put(whole, as: event, to: server)
        case .later(let work):
            outbox.prepares(event)
            make(event, work)
        case .nothing:
            outbox.dropped(event)
            drop(event)
        }
    }

    private func make(_ event: OutgoingEvent, _ work: @escaping @Loop @Sendable () async -> Made) {
        tasks.start(event.transactionID) { [weak self] in
            let made = await work()
            guard !Task.isCancelled, let self else { return }
            tasks.release(event.transactionID)
            switch made {
            case .event(let whole): if outbox.prepared(event) { self.made[event.transactionID] = whole }
            case .nothing:
                outbox.dropped(event)
                drop(event)
            case .failed(let reason):
                outbox.dropped(event)
                giveUp(event, reason: reason)
            }
            pump()
        }
    }

    private func put(_ whole: OutgoingEvent, as event: OutgoingEvent, to server: Homeserver) {
        tasks.start(event.transactionID) { [weak self] in await self?.transfer(whole, as: event, to: server) }
    }

    /// The only way out.
    private func transfer(_ whole: OutgoingEvent, as event: OutgoingEvent, to server: Homeserver) async {
        guard !Task.isCancelled else { return }
        guard mayPut(whole) else {
            tasks.release(event.transactionID)
            outbox.dropped(event)
            drop(event)
            return pump()
        }
        let result = await calls(server.send(whole), Replies.sent)
        guard !Task.isCancelled else { return }
        tasks.release(event.transactionID)
        finished(event, result)
    }

    private func finished(_ event: OutgoingEvent, _ result: Result<String, MatrixError>) {
        switch result {
        case .success(let id):
            outbox.sent(event)
            delivered(event, id)
            settled(event)
        case .failure(let error): failed(event, error)
        }
        checkDrained()
        pump()
    }

    private func failed(_ event: OutgoingEvent, _ error: MatrixError) {
        if error.isAccountShut { return accountShut(error) }
        if error.isTokenRefused {
            outbox.pause()
            tokenRefused()
        }
        switch outbox.failed(event, error, now: clock.now) {
        case .retry(let wait):
            log.debug(
                "sending is put off",
                ["room": event.room, "seconds": String(wait.secondsRoundedUp), "reason": error.text])
        case .dropped: giveUp(event, reason: error.text)
        case .forgotten: break
        }
    }

    private func giveUp(_ event: OutgoingEvent, reason: String) {
        givenUp += 1
        log.warning(
            "an answer was not sent", ["room": event.room, "reason": reason, "so far": String(givenUp)])
        drop(event)
    }

    /// Nothing is done for it any more.
    private func drop(_ event: OutgoingEvent) {
        tasks.cancel(event.transactionID)
        made[event.transactionID] = nil
        settled(event)
        checkDrained()
    }

    private func arm() {
        if let timer { clock.cancel(timer) }
        timer = outbox.nextDeadline.map { deadline in
            clock.schedule(at: deadline) { [weak self] in self?.pump() }
        }
    }

    private func checkDrained() {
        if outbox.isEmpty { wakeDrain() }
    }

    private func wakeDrain() {
        drained?.resume()
        drained = nil
    }
}
