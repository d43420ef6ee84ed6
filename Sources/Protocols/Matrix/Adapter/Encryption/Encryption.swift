import Base
import HTTP
import JSON
import Matrix
import MatrixCrypto

/// The loop's side of one device's encryption: hands the desk what came, makes the calls that its machine wants, and tells what
/// came of them.
@Loop final class Encryption {
    let userID: String
    let deviceID: String
    /// Calls that failed for a moment are made again after this by themselves, besides the machine's own pauses: a limit says
    /// how long it lasts.
    private static let longestLimit: Duration = .minutes(2)
    private static let pause: Duration = .seconds(2)

    private let desk: CryptoDesk
    private let calls: Calls
    private let clock: any LoopClock
    private let log: Log
    private let tasks = RunningTasks<Job>()
    private var jobCount: UInt64 = 0
    private var verificationSteps = 0
    /// To-device events on their way.
    private var letters: Set<UInt64> = []
    private var timer: TimerID?
    /// Who waits for anything to change, by number.
    private var waiting: [UInt64: Gate] = [:]
    private var waits: UInt64 = 0
    private var failures = FailureLog()

    private enum Job: Hashable, Sendable {
        case call(UInt64)
        case notes
        case forgetting(UInt64)
        case verification(UInt64)
        case wake
    }

    var server: Homeserver?
    /// With what the machine was made.
    var recoveryKey: Secret?
    var trust = DeviceTrust.crossSignedOrWithout
    /// For a server that wants it before it takes new cross-signing keys.
    var password: Secret?
    var happened: ([CryptoEvent]) -> Void = { _ in }
    var verified: ([VerificationEffect]) -> Void = { _ in }
    var tokenRefused: () -> Void = {}
    /// The keys in the store aren't this device's.
    var isForeign: () -> Void = {}
    private var isStopped = false

    init(_ desk: CryptoDesk, userID: String, deviceID: String, calls: Calls, clock: any LoopClock, log: Log) {
        self.desk = desk
        self.userID = userID
        self.deviceID = deviceID
        self.calls = calls
        self.clock = clock
        self.log = log
    }

    /// What is to be saved of rooms before a position may be. Two become one, so there is never more of it than there are
    /// rooms, however often a sync is told again.
    struct Note: Equatable {
        var settings: [String: RoomEncryption] = [:]
        var newSessions: Set<String> = []

        var isEmpty: Bool { self == Note() }

        mutating func add(_ later: Note) {
            settings.merge(later.settings) { $1 }
            newSessions.formUnion(later.newSessions)
        }
    }

    private(set) var openNote = Note()
    var noted: () -> Void = {}
    /// See `OlmMachine.isIntroduced`.
    private(set) var isIntroduced = false

    func start() {
        tasks.start(.wake) { [weak self] in await self?.wake() }
    }

    /// Nothing is written to the store when it has returned.
    func stop() async {
        isStopped = true
        tasks.cancelAll()
        if let timer { clock.cancel(timer) }
        progressed()
        await desk.close()
    }

    /// What one sync brought is kept; nil when it can't be, so that the sync has to be asked for again.
    func received(_ sync: CryptoSync) async -> [CryptoEvent]? {
        await attempt { (desk) async throws(CryptoError) in try await desk.received(sync) }
    }

    /// Nil when the store can't be used now.
    func open(_ sealed: [SealedEvent]) async -> [CryptoDesk.Opened]? {
        await attempt { (desk) async throws(CryptoError) in try await desk.open(sealed) }
    }

    /// Waits until every reader has the key, or the machine has given up on those that don't; nil when that took too long.
    func seal(
        type: String, content: [UInt8], in room: String, by deadline: Instant,
        audience: @Loop () async -> RoomAudience?
    ) async -> [UInt8]? {
        while !Task.isCancelled, !isStopped, clock.now < deadline {
            guard let readers = await audience(), !isStopped else { return nil }
            // A new session that is due comes first: whoever left mustn't read on.
            guard openNote.isEmpty else {
                await progress(by: deadline)
                continue
            }
            let sealed = await attempt { (desk) async throws(CryptoError) in
                try await desk.seal(type: type, content: content, for: readers)
            }
            if Task.isCancelled || isStopped { return nil }
            switch sealed {
            case .content(let bytes): return bytes
            case .impossible(let reason):
                log.warning("a message can't be encrypted", ["room": room, "reason": reason])
                return nil
            case .waiting: await progress(by: deadline)
            case nil: await clock.sleep(for: Self.pause)
            }
        }
        return nil
    }

    func note(_ note: Note) {
        guard !note.isEmpty else { return }
        openNote.add(note)
        if !tasks.contains(.notes) { tasks.start(.notes) { [weak self] in await self?.writeNotes() } }
    }

    private func writeNotes() async {
        while !openNote.isEmpty, !Task.isCancelled {
            let written = openNote
            let events = await attempt { (desk) async throws(CryptoError) in
                try await desk.note(written.settings, newSessions: written.newSessions.sorted())
            }
            guard !Task.isCancelled else { return }
            if events == nil {
                await clock.sleep(for: Self.pause)
            } else if openNote == written {
                openNote = Note()
            }
        }
        guard !Task.isCancelled else { return }
        // The next note starts anew.
        tasks.release(.notes)
        progressed()
        noted()
    }

    /// Steps are taken one after the other, in the order in which they are asked for.
    func verify(_ step: @escaping @Sendable (VerificationDesk, Int64) -> Void) {
        jobCount += 1
        verificationSteps += 1
        tasks.start(.verification(jobCount)) { [weak self] in
            let effects = await self?.attempt { (desk) async throws(CryptoError) in try await desk.verify(step) }
            if let effects, !effects.isEmpty { self?.verified(effects) }
            self?.verificationSteps -= 1
            self?.progressed()
        }
    }

    /// Waits until what verifications have said is on the server.
    func settleVerifications(by deadline: Instant) async {
        while !isStopped, clock.now < deadline, verificationSteps > 0 || !letters.isEmpty {
            await progress(by: deadline)
        }
    }

    /// False when that took too long.
    func introduced(by deadline: Instant) async -> Bool {
        while !isIntroduced, !Task.isCancelled, !isStopped, clock.now < deadline { await progress(by: deadline) }
        return isIntroduced
    }

    /// Nil when they can't be learned in time.
    func devices(of user: String, by deadline: Instant) async -> [String]? {
        while !Task.isCancelled, !isStopped, clock.now < deadline {
            let known = await attempt { (desk) async throws(CryptoError) in try await desk.devices(of: user) }
            if let known, let devices = known { return devices }
            await progress(by: min(deadline, clock.now + Self.pause))
        }
        return nil
    }

    /// The next sync begins anew.
    func forgetPosition() {
        jobCount += 1
        tasks.start(.forgetting(jobCount)) { [desk] in await desk.resumes(from: nil) }
    }

    // MARK: Calls

    private func attempt<Value: Sendable>(
        _ step: @Sendable (CryptoDesk) async throws(CryptoError) -> CryptoDesk.Outcome<Value>
    ) async -> Value? {
        do throws(CryptoError) {
            let outcome = try await step(desk)
            guard !isStopped else { return nil }
            for request in outcome.requests {
                if case .toDevice = request.call { letters.insert(request.id) }
                tasks.start(.call(request.id)) { [weak self] in await self?.carryOut(request) }
            }
            arm(outcome.deadline)
            if outcome.isIntroduced, !isIntroduced {
                isIntroduced = true
                progressed()
            }
            return outcome.value
        } catch {
            guard !isStopped else { return nil }
            failed(error)
            return nil
        }
    }

    private func carryOut(_ request: CryptoRequest) async {
        let result = await call(request.call)
        letters.remove(request.id)
        while !Task.isCancelled, !isStopped {
            let events = await attempt { (desk) async throws(CryptoError) in
                switch result {
                case .success(.body(let body)): try await desk.answered(request.id, body)
                case .success(.needsAuthentication(let session, let flows)):
                    try await desk.failed(request.id, .needsAuthentication(session: session, flows: flows))
                case .failure(let error): try await desk.failed(request.id, error.cryptoFailure)
                }
            }
            if let events {
                tell(events)
                return progressed()
            }
            // The answer was had and can't be kept yet.
            await clock.sleep(for: Self.pause)
        }
    }

    private func call(_ call: CryptoRequest.Call) async -> Result<CryptoAnswer, MatrixError> {
        let result = await answer(to: call)
        guard let password else { return result }
        let proof = PasswordProof(user: userID, password: password)
        return await proof.answer(to: call, after: result) { await self.answer(to: $0) }
    }

    private func answer(to call: CryptoRequest.Call) async -> Result<CryptoAnswer, MatrixError> {
        while true {
            guard let server, !Task.isCancelled else { return .failure(.transport(.cancelled)) }
            let result = await calls(server.call(call, of: userID), CryptoAnswer.decode)
            guard case .failure(let error) = result, !Task.isCancelled else { return result }
            if error.isTokenRefused { tokenRefused() }
            // What is refused for good means something to the machine, which tells what.
            if error.cryptoFailure == .transient, failures.isNews(call.name + error.text, now: clock.now) {
                log.warning("encryption: a call failed", ["doing": call.name, "reason": error.text])
            } else {
                log.debug("encryption: a call failed", ["doing": call.name, "reason": error.text])
            }
            guard error.isLimit, case .after(let told) = error.retry else { return result }
            await clock.sleep(for: min(told ?? Self.pause, Self.longestLimit))
        }
    }

    private func tell(_ events: [CryptoEvent]) {
        if !events.isEmpty { happened(events) }
    }

    private func failed(_ error: CryptoError) {
        if error == .otherIdentity { return isForeign() }
        if case .storeLost(let reason) = error {
            log.error("encryption: the keys are lost", ["reason": reason])
            return isForeign()
        }
        if failures.isNews("\(error)", now: clock.now) {
            log.error(
                "encryption: the keys can't be used now; encrypted rooms wait, plain ones go on", ["reason": error.text]
            )
        }
    }

    private func wake() async {
        let events = await attempt { (desk) async throws(CryptoError) in try await desk.wake() }
        // One may have taken too long.
        verify { _, _ in }
        progressed()
        if let events { tell(events) } else { arm(clock.wall.milliseconds + Self.pause.milliseconds) }
    }

    private func arm(_ deadline: Int64?) {
        if let timer { clock.cancel(timer) }
        timer = deadline.map { deadline in
            // Not at once over and over, whatever the machine says.
            let wait = max(deadline - clock.wall.milliseconds, 100)
            return clock.schedule(at: clock.now + .milliseconds(wait)) { [weak self] in self?.start() }
        }
    }

    // MARK: Waiting

    private func progress(by deadline: Instant) async {
        waits += 1
        let number = waits
        let gate = Gate(clock: clock)
        waiting[number] = gate
        defer { waiting[number] = nil }
        await gate.wait(by: deadline)
    }

    private func progressed() {
        for gate in waiting.values { gate.open() }
    }
}

extension CryptoError {
    /// For the log.
    var text: String {
        switch self {
        case .olm(let error): error.reason == .notInstalled ? error.text : "the library said \(error.text)"
        case .store(let reason), .storeLost(let reason): reason
        case .otherIdentity: "they are not those that the homeserver has for this device"
        case .notPrepared: "the room's session isn't ready"
        case .unusableContent: "the content can't be encrypted"
        }
    }
}
