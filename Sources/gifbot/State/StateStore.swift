public import Base
import MatrixAdapter

/// What the bot remembers: read from memory, written behind its back.
///
/// Changes are gathered for up to a second and then written in one transaction, so a busy channel costs one write a
/// second and an idle bot none. Order is kept: only one batch is on its way at a time.
@Loop public final class StateStore {
    private static let gather = Duration.seconds(1)

    var memory: StateMemory
    var pending = StateChanges()
    let clock: any LoopClock
    let log: Log

    private let folder: StateFolder?
    /// Nil: nothing is written.
    private var writer: StateWriter?
    private var timer: TimerID?
    private var daily: TimerID?
    private var batch: Task<Void, Never>?
    private var isWriting = false
    private var isFailing = false
    private var retry = Backoff(first: .seconds(1), longest: .minutes(1))

    /// Opens or makes the folder, locks it, and reads everything. Blocks for a few milliseconds.
    public static func open(folder path: String, clock: any LoopClock, log: Log) throws(StateError) -> StateStore {
        let log = log.area("state")
        let folder = try StateFolder(path)
        let opened = try OpenedState.open(folder, now: clock.wall, log: log)
        let store = StateStore(memory: opened.memory, folder: folder, writer: opened.writer, clock: clock, log: log)
        if opened.memory.sawOldRows { store.forgetOld() }
        return store
    }

    /// Remembers until the process ends.
    public static func inMemory(clock: any LoopClock, log: Log) -> StateStore {
        StateStore(memory: StateMemory(), folder: nil, writer: nil, clock: clock, log: log.area("state"))
    }

    private init(memory: StateMemory, folder: StateFolder?, writer: StateWriter?, clock: any LoopClock, log: Log) {
        self.memory = memory
        self.folder = folder
        self.writer = writer
        self.clock = clock
        self.log = log
        scheduleDaily()
    }

    /// Returns when everything so far is written, or can't be.
    public func flush() async {
        while isWriting || !pending.isEmpty {
            if !isWriting { write() }
            await batch?.value
            if isFailing { return }
        }
    }

    /// Writes what is left, closes the database and unlocks the folder. Later changes stay in memory.
    public func close() async {
        await flush()
        for id in [timer, daily].compactMap({ $0 }) { clock.cancel(id) }
        await writer?.close()
        writer = nil
        folder?.unlock()
    }

    func append(_ row: StateChange) {
        guard writer != nil else { return }
        pending.append(row)
        writeSoon()
    }

    /// Has what is pending written, within a second.
    func writeSoon() {
        guard writer != nil else { return pending = StateChanges() }
        guard timer == nil, !isWriting else { return }
        schedule(after: Self.gather)
    }

    /// A token can't wait: were it lost, the device would be left behind on the homeserver.
    func writeNow() {
        guard writer != nil else { return pending = StateChanges() }
        guard !isWriting else { return }
        write()
    }

    private func schedule(after wait: Duration) {
        timer = clock.schedule(at: clock.now.advanced(by: wait)) { [weak self] in
            self?.timer = nil
            self?.write()
        }
    }

    private func write() {
        if let timer { clock.cancel(timer) }
        timer = nil
        guard let writer, !isWriting, !pending.isEmpty else { return }
        let changes = pending
        pending = StateChanges()
        isWriting = true
        batch = Loop.start {
            let outcome = await writer.write(changes)
            self.wrote(changes, outcome)
        }
    }

    private func wrote(_ changes: StateChanges, _ outcome: StateWriter.Outcome) {
        isWriting = false
        var left = changes
        if outcome.databaseFault == nil { left.dropDatabasePart() }
        if let name = outcome.setAside {
            log.error("the state is broken and set aside, going on in memory until the next start", ["file": name])
        }
        left.sessions = changes.sessions.filter { outcome.sessionFaults[$0.key] != nil }
        report(outcome.databaseFault ?? outcome.sessionFaults.values.first)
        guard left.isEmpty else {
            pending.putBack(left)
            // Always the middle of the spread: nobody else tries this disk.
            return schedule(after: retry.next(spread: 0.5))
        }
        retry.reset()
        if !pending.sessions.isEmpty { write() } else if !pending.isEmpty { writeSoon() }
    }

    /// One line when writing begins to fail, one when it works again.
    private func report(_ fault: String?) {
        defer { isFailing = fault != nil }
        if let fault, !isFailing {
            log.error("the state can't be written, going on in memory", ["reason": fault])
        } else if fault == nil, isFailing {
            log.info("the state is written again")
        }
    }

    private func scheduleDaily() {
        daily = clock.schedule(at: clock.now.advanced(by: .days(1))) { [weak self] in
            self?.forgetOld()
            self?.scheduleDaily()
        }
    }

    private func forgetOld() {
        let oldest = clock.wall.advanced(by: .zero - Retention.span)
        memory.shown.forget(before: oldest)
        memory.answered.forget(before: oldest)
        append(.old(before: oldest))
        for (account, before) in memory.calls.forget(at: clock.wall) {
            append(.forgottenCalls(account: account, before: before))
        }
    }
}
