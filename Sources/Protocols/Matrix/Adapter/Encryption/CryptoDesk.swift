import Base
import JSON
import Matrix
import MatrixCrypto

/// Owns the machine of one device, on a queue of its own: its methods block for the disk and for arithmetic, and the loop
/// must wait for neither. Whatever it returns is saved.
actor CryptoDesk {
    /// What came of a step, and what the machine wants done next.
    struct Outcome<Value: Sendable>: Sendable {
        let value: Value
        let requests: [CryptoRequest]
        let deadline: Int64?
        /// See `OlmMachine.isIntroduced`.
        let isIntroduced: Bool
    }

    enum Opened: Sendable {
        case event(MatrixEvent)
        /// It may come yet.
        case missingKey(session: String)
        case refused(String)
    }

    enum Sealed: Sendable {
        case content([UInt8])
        /// The requests come first.
        case waiting
        case impossible(String)
    }

    private let executor = QueueExecutor(label: "crypto")
    private let clock: any LoopClock
    private var machine: OlmMachine?
    private var verifications: VerificationDesk?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(clock: any LoopClock) {
        self.clock = clock
    }

    /// Syncs will go on from `position`. The rooms that are known to be encrypted.
    func open(
        _ source: any CryptoSource, user: String, device: String, recoveryKey: Secret?, trust: DeviceTrust,
        position: String?
    ) throws(CryptoError) -> Set<String> {
        let machine = try source.machine(user: user, device: device, recoveryKey: recoveryKey, trust: trust)
        machine.resumes(from: position)
        self.machine = machine
        verifications = machine.makeVerifications(sha256: source.attachments.sha256)
        return machine.encryptedRooms
    }

    func resumes(from position: String?) {
        machine?.resumes(from: position)
    }

    /// Nothing is written to the store after this.
    func close() {
        verifications = nil
        machine = nil
    }

    func received(_ sync: CryptoSync) throws(CryptoError) -> Outcome<[CryptoEvent]> {
        try step { (machine, now) throws(CryptoError) in try machine.received(sync, now: now) }
    }

    func answered(_ id: UInt64, _ body: JSONValue) throws(CryptoError) -> Outcome<[CryptoEvent]> {
        try step { (machine, now) throws(CryptoError) in try machine.answered(id, body, now: now) }
    }

    func failed(_ id: UInt64, _ failure: CryptoFailure) throws(CryptoError) -> Outcome<[CryptoEvent]> {
        try step { (machine, now) throws(CryptoError) in
            try machine.failed(id, failure, now: now)
            return []
        }
    }

    /// Its deadline has come.
    func wake() throws(CryptoError) -> Outcome<[CryptoEvent]> {
        guard let machine else { throw .store("the store is closed") }
        if machine.ownKeysStatus == .other { throw .otherIdentity }
        let now = clock.wall.milliseconds
        return outcome([], try machine.requests(now: now), deadline: nextDeadline)
    }

    private func outcome<Value: Sendable>(
        _ value: Value, _ requests: [CryptoRequest], deadline: Int64?
    ) -> Outcome<Value> {
        Outcome(
            value: value, requests: requests, deadline: deadline, isIntroduced: machine?.isIntroduced ?? false)
    }

    private var nextDeadline: Int64? {
        [machine?.nextDeadline, verifications?.nextDeadline].compactMap(\.self).min()
    }

    /// In their order; one that can't be read stops none of the others.
    func open(_ sealed: [SealedEvent]) throws(CryptoError) -> Outcome<[Opened]> {
        try step { (machine, now) throws(CryptoError) in
            var opened: [Opened] = []
            for one in sealed { opened.append(try Self.open(one, machine, now)) }
            return opened
        }
    }

    func seal(
        type: String, content: [UInt8], for audience: RoomAudience
    ) throws(CryptoError) -> Outcome<Sealed> {
        try step { (machine, now) throws(CryptoError) in
            guard case .ready = try machine.prepare(audience, now: now) else { return .waiting }
            guard let content = try? JSONValue(parsing: content) else { return .impossible("it is no JSON") }
            do throws(CryptoError) {
                let sealed = try machine.encrypt(type: type, content: content, in: audience.room, now: now)
                guard let bytes = try? JSONWriter.canonical(sealed) else {
                    return .impossible("it is no canonical JSON")
                }
                return .content(bytes)
            } catch {
                guard error == .unusableContent else { throw error }
                return .impossible(error.text)
            }
        }
    }

    /// How rooms are encrypted, and in which of them a new session is due.
    func note(_ settings: [String: RoomEncryption], newSessions: [String]) throws(CryptoError) -> Outcome<[CryptoEvent]>
    {
        try step { (machine, _) throws(CryptoError) in
            for (room, encryption) in settings { try machine.noteEncryption(of: room, encryption) }
            for room in newSessions { try machine.forgetOutboundSession(in: room) }
            return []
        }
    }

    private func step<Value: Sendable>(
        _ body: (OlmMachine, Int64) throws(CryptoError) -> Value
    ) throws(CryptoError) -> Outcome<Value> {
        guard let machine else { throw .store("the store is closed") }
        let now = clock.wall.milliseconds
        let value = try body(machine, now)
        // Told at once, not when the next sync happens to come.
        if machine.ownKeysStatus == .other { throw .otherIdentity }
        // What was done is saved and stands, also when what comes next can't be saved now: the wake says why.
        guard let requests = try? machine.requests(now: now) else {
            return outcome(value, [], deadline: now)
        }
        return outcome(value, requests, deadline: nextDeadline)
    }

    /// A step of the verifications; what isn't the machine's to do is given back.
    func verify(
        _ body: @Sendable (VerificationDesk, Int64) -> Void
    ) throws(CryptoError) -> Outcome<[VerificationEffect]> {
        try step { (machine, now) throws(CryptoError) in
            guard let verifications else { return [] }
            verifications.masterKey = machine.ownMasterKey
            body(verifications, now)
            verifications.timeReached(now)
            var others: [VerificationEffect] = []
            for effect in verifications.takeEffects() {
                switch effect {
                case .toDevice(let type, let content, let devices):
                    try machine.send(type: type, content: content, to: devices, encrypted: false, now: now)
                case .follow(let user): try machine.follow([user])
                case .inRoom, .asked, .show, .verified, .ended: others.append(effect)
                }
            }
            return others
        }
    }

    /// Begins to follow somebody's devices; their ids once they are known.
    func devices(of user: String) throws(CryptoError) -> Outcome<[String]?> {
        try step { (machine, _) throws(CryptoError) in
            guard let known = machine.user(user) else {
                try machine.follow([user])
                return nil
            }
            return known.devices.map(\.id)
        }
    }

    private static func open(_ sealed: SealedEvent, _ machine: OlmMachine, _ now: Int64) throws(CryptoError) -> Opened {
        guard let bytes = sealed.event.sealed, let content = try? JSONValue(parsing: bytes) else {
            return .refused("the envelope can't be read")
        }
        let event = EncryptedEvent(id: sealed.id, sender: sealed.event.sender, content: content)
        switch try machine.decrypt(event, in: sealed.room, now: now) {
        case .clear(let type, let content):
            guard let plain = EventContent(content), var opened = sealed.event.opened(type: type, content: plain) else {
                return .refused("there is nothing in it that is read here")
            }
            if opened.isOfVerification { opened.whole = try? JSONWriter.canonical(content) }
            return .event(opened)
        case .missingKey(let session): return .missingKey(session: session)
        case .refused(let reason): return .refused(reason)
        }
    }
}
