import Base
import Matrix

/// Drives the outbox: what it says is due is put to the server, what comes of it is told back.
@Loop final class EventSender {
    private let calls: Calls
    private let clock: any LoopClock
    private let log: Log
    private var outbox = Outbox()
    private let tasks = RunningTasks<UInt64>()
    private var started: UInt64 = 0
    private var timer: TimerID?
    private var drained: CheckedContinuation<Void, Never>?

    private var server: Homeserver?
    /// An event was sent or dropped: nothing more happens with it.
    var settled: (OutgoingEvent) -> Void = { _ in }

    init(calls: Calls, clock: any LoopClock, log: Log) {
        self.calls = calls
        self.clock = clock
        self.log = log
    }

    /// Signed in (again): what was held back goes out.
    func resume(with server: Homeserver) {
        guard self.server != server || outbox.isPaused else { return }
        self.server = server
        outbox.resume()
        pump()
    }

    /// False when the queue is full.
    func add(_ event: OutgoingEvent) -> Bool {
        guard outbox.add(event, now: clock.now) else { return false }
        pump()
        return true
    }

    func redacted(_ eventID: String, in room: String) {
        for event in outbox.redacted(eventID, in: room) {
            log.debug("an answer to a redacted command was dropped", ["room": room])
            settled(event)
        }
    }

    func left(_ room: String) {
        for event in outbox.left(room) { settled(event) }
        checkDrained()
    }

    /// Gives up everything: the account is of no use any more.
    func clear() {
        let count = outbox.count
        outbox = Outbox()
        server = nil
        tasks.cancelAll()
        if let timer { clock.cancel(timer) }
        timer = nil
        if count > 0 { log.warning("answers were not sent", ["count": String(count)]) }
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
        let due = outbox.due(now: clock.now)
        for event in due.givenUp { giveUp(event, reason: "it waited for too long") }
        for event in due.send { transmit(event, to: server) }
        arm()
    }

    private func transmit(_ event: OutgoingEvent, to server: Homeserver) {
        started += 1
        let number = started
        tasks.start(number) { [weak self, calls] in
            let result = await calls(server.send(event), Replies.sent)
            guard !Task.isCancelled, let self else { return }
            tasks.release(number)
            finished(event, result)
        }
    }

    private func finished(_ event: OutgoingEvent, _ result: Result<String, MatrixError>) {
        switch result {
        case .success:
            outbox.sent(event)
            settled(event)
        case .failure(let error): failed(event, error)
        }
        checkDrained()
        pump()
    }

    private func failed(_ event: OutgoingEvent, _ error: MatrixError) {
        if error.isTokenRefused { outbox.pause() }
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
        log.warning("an answer was not sent", ["room": event.room, "reason": reason])
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
