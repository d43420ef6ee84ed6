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
    /// How many changes were noted, and how many of them are in the batch on its way.
    private var noted: UInt64 = 0
    private var underWay: UInt64 = 0
    private var safe: UInt64 = 0
    /// The last change that must be on disk before an answer is sent.
    private var owed: UInt64 = 0
    /// Who waits for so many changes to be on disk.
    private var waiters: [(changes: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
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

    /// Returns once everything noted before is on disk, and doesn't wait for the second that gathers changes; false when
    /// it can't be written now. Then it is tried again later, and the caller goes on.
    public func written() async -> Bool {
        guard writer != nil else { return true }
        guard !isFailing else { return false }
        guard isWriting || !pending.isEmpty else { return true }
        return await withCheckedContinuation { continuation in
            waiters.append((noted, continuation))
            write()
        }
    }

    /// The note of a command that is being answered isn't on disk yet. While nothing can be written, nothing is owed.
    public var owesWriting: Bool { owed > safe && writer != nil && !isFailing }

    func appendOwed(_ row: StateChange) {
        append(row)
        owed = noted
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
        noted += 1
        guard writer != nil else { return pending = StateChanges() }
        guard timer == nil, !isWriting else { return }
        schedule(after: Self.gather)
    }

    /// A token can't wait: were it lost, the device would be left behind on the homeserver.
    func writeNow() {
        noted += 1
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
        var changes = pending
        changes.at = clock.wall
        pending = StateChanges()
        isWriting = true
        underWay = noted
        batch = Loop.start { [changes] in
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
        let isWritten = left.isEmpty
        if isWritten { safe = underWay }
        for waiter in waiters where waiter.changes <= underWay { waiter.continuation.resume(returning: isWritten) }
        waiters.removeAll { $0.changes <= underWay }
        guard isWritten else {
            for waiter in waiters { waiter.continuation.resume(returning: false) }
            waiters = []
            pending.putBack(left)
            // Always the middle of the spread: nobody else tries this disk.
            return schedule(after: retry.next(spread: 0.5))
        }
        retry.reset()
        if !pending.sessions.isEmpty || !waiters.isEmpty { write() } else if !pending.isEmpty { writeSoon() }
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
        memory.matrix.forget(before: oldest)
        memory.directChats.forget(before: oldest)
        append(.old(before: oldest))
        forgetOldPolicies(at: clock.wall)
        for (account, before) in memory.calls.forget(at: clock.wall) {
            append(.forgottenCalls(account: account, before: before))
        }
    }
}
