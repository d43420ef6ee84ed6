public import JSON

/// All verifications of one device, without I/O: push what came, take what is to be done. Used from one thread at a time.
///
/// At most eight are under way at once, and one with a device: who asks beyond that is told so. Answers to requests that nobody
/// here attends to are limited too, so that nobody can make the bot talk.
public final class VerificationDesk {
    static let limit = 8
    /// Ten minutes for the whole ("Error and exception handling").
    static let patience: Int64 = 600_000
    /// A request from further ahead is wrong.
    static let clockError: Int64 = 300_000
    /// Verifications that ended, so that what comes late for them is passed over; the oldest are forgotten.
    private static let rememberedEnds = 64

    let own: DeviceName
    let driver: any OlmDriver
    let sha256: ([UInt8]) -> [UInt8]
    /// What the tracker knows of somebody.
    let user: (String) -> StoredUser?
    private let deviceKey: String
    private let random: (Int) -> [UInt8]
    private var verifications: [VerificationID: Verification] = [:]
    private var ended: [VerificationID] = []
    private var effects: [VerificationEffect] = []
    private var refusals = RefusalLimit()

    /// Our public master key; once it is there, the other side learns to trust it.
    public var masterKey: String?
    /// Why nobody here can verify now; nil while somebody attends. The other side's client shows it, or not.
    public var closedBecause: String?

    public init(
        user userID: String, device: String, deviceKey: String, driver: any OlmDriver,
        sha256: @escaping ([UInt8]) -> [UInt8], random: @escaping (Int) -> [UInt8],
        user: @escaping (String) -> StoredUser?
    ) {
        own = DeviceName(user: userID, device: device)
        self.deviceKey = deviceKey
        self.driver = driver
        self.sha256 = sha256
        self.random = random
        self.user = user
    }

    /// What the other side shall take for ours.
    var ownKeys: [String: String] {
        var keys = ["ed25519:" + own.device: deviceKey]
        if let masterKey { keys["ed25519:" + masterKey] = masterKey }
        return keys
    }

    func emit(_ effect: VerificationEffect) { effects.append(effect) }

    /// What is to be done, in order; each is given out once.
    public func takeEffects() -> [VerificationEffect] {
        defer { effects = [] }
        return effects
    }

    public var nextDeadline: Int64? { verifications.values.map(\.deadline).min() }

    // MARK: The person here

    /// Asks all of somebody's devices. Nil when too many are under way.
    public func ask(_ user: String, devices: [String], now: Int64) -> VerificationID? {
        guard verifications.count < Self.limit, !devices.isEmpty else { return nil }
        let id = VerificationID(room: nil, user: user, transaction: Base64.encode(random(16), .urlSafe))
        emit(
            .toDevice(
                type: VerificationMessage.prefix + "request",
                content: .object(
                    id.naming([
                        "from_device": .string(own.device), "methods": [.string(SASOffer.method)],
                        "timestamp": .integer(now),
                    ])), to: devices.map { DeviceName(user: user, device: $0) }))
        add(Verification(id, asking: devices, deadline: now + Self.patience, desk: self))
        return id
    }

    /// The content of an `m.room.message` that asks somebody in a room.
    public static func roomRequest(from own: String, _ device: String, to user: String) -> JSONValue {
        [
            "msgtype": "m.key.verification.request", "from_device": .string(device), "to": .string(user),
            "methods": [.string(SASOffer.method)],
            "body": .string("\(own) asks to verify keys with you, which this client can't do."),
        ]
    }

    /// `roomRequest` was sent and has this id.
    public func asked(_ user: String, in room: String, by event: String, now: Int64) -> VerificationID? {
        guard verifications.count < Self.limit else { return nil }
        let id = VerificationID(room: room, user: user, transaction: event)
        add(Verification(id, asking: [], deadline: now + Self.patience, desk: self))
        return id
    }

    /// Yes to what `asked` told.
    public func accept(_ id: VerificationID) { step(id) { $0.accept() } }

    /// Whether the strings are the same.
    public func answer(_ id: VerificationID, isSame: Bool) { step(id) { $0.compared(isSame: isSame) } }

    /// With code `m.user`.
    public func cancel(_ id: VerificationID, reason: String? = nil) {
        step(id) { $0.cancel(reason.map { .ours("m.user", $0) } ?? .declined) }
    }

    public func timeReached(_ now: Int64) {
        for (id, verification) in verifications where verification.deadline <= now {
            step(id) { _ in verification.cancel(.timedOut) }
        }
    }

    // MARK: The other side

    public func received(_ message: VerificationMessage, now: Int64) {
        guard message.type.hasPrefix(VerificationMessage.prefix) else { return }
        let type = String(message.type.dropFirst(VerificationMessage.prefix.count))
        if case .room(let room, _, _) = message.place, message.sender == own.user {
            return receivedFromOurselves(message, in: room)
        }
        guard let id = message.id, id.transaction.utf8.count <= 255 else { return }
        if let verification = verifications[id] {
            // A request again is the same one again.
            if !message.isRequest { step(id) { _ in verification.received(type, message.content) } }
            return
        }
        guard !ended.contains(id) else { return }
        switch type {
        case "request": requested(id, message, now: now)
        case "start" where id.room == nil: begun(id, message, now: now)
        // Of others in the room, or of an end that was forgotten; to a cancel nothing is said, or it would go on for ever.
        case _ where id.room != nil: break
        case "cancel", "done", "start": break
        default:
            remember(id)
            guard refusals.allows(id.user, now: now) else { return }
            tell(.unknownTransaction, id, device: "*")
        }
    }

    private func requested(_ id: VerificationID, _ message: VerificationMessage, now: Int64) {
        guard let device = message.content["from_device"]?.string, !device.isEmpty, device.utf8.count <= 255 else {
            return
        }
        var time = now
        switch message.place {
        case .toDevice:
            guard let timestamp = message.content["timestamp"]?.integer else { return }
            time = timestamp
        case .room(_, _, let sent):
            guard message.content["to"]?.string == own.user else { return }
            time = sent
        }
        guard time > now - Self.patience, time < now + Self.clockError else { return }
        let methods = message.content["methods"]?.array ?? []
        open(id, device, start: nil, deadline: min(time, now) + Self.patience, now: now) {
            methods.contains(.string(SASOffer.method)) ? nil : .unknownMethod
        }
    }

    /// By a client that knows no requests.
    private func begun(_ id: VerificationID, _ message: VerificationMessage, now: Int64) {
        guard let device = message.content["from_device"]?.string, !device.isEmpty, device.utf8.count <= 255 else {
            return
        }
        open(id, device, start: message.content, deadline: now + Self.patience, now: now) {
            SASOffer.accept(message.content) == nil ? .unknownMethod : nil
        }
    }

    private func open(
        _ id: VerificationID, _ device: String, start: JSONValue?, deadline: Int64, now: Int64,
        problem: () -> VerificationEnd?
    ) {
        // It comes back to us from ourselves.
        guard DeviceName(user: id.user, device: device) != own else { return }
        let others = verifications.filter { $0.key.user == id.user && $0.value.device == device }.keys
        var refusal: VerificationEnd?
        if let closedBecause {
            refusal = .ours("m.user", closedBecause)
        } else if !others.isEmpty {
            for other in others { step(other) { $0.cancel(.secondAttempt) } }
            refusal = .secondAttempt
        } else if verifications.count >= Self.limit {
            refusal = .tooMany
        } else {
            refusal = problem()
        }
        if let refusal {
            remember(id)
            if refusals.allows(id.user, now: now) { tell(refusal, id, device: device) }
            return
        }
        add(Verification(id, from: device, start: start, deadline: deadline, desk: self))
        emit(.asked(id, device: device))
    }

    /// Another device of ours has taken a request that came to all of them.
    private func receivedFromOurselves(_ message: VerificationMessage, in room: String) {
        guard message.type.hasSuffix(".ready"), message.content["from_device"]?.string != own.device,
            let request = message.id?.transaction,
            let id = verifications.keys.first(where: { $0.room == room && $0.transaction == request }),
            case .asked = verifications[id]?.state
        else { return }
        verifications[id] = nil
        remember(id)
        emit(.ended(id, .accepted))
    }

    private func tell(_ end: VerificationEnd, _ id: VerificationID, device: String) {
        let content = JSONValue.object(id.naming(["code": .string(end.code), "reason": .string(end.reason)]))
        let type = VerificationMessage.prefix + "cancel"
        if let room = id.room { return emit(.inRoom(room, type: type, content: content)) }
        emit(.toDevice(type: type, content: content, to: [DeviceName(user: id.user, device: device)]))
    }

    private func add(_ verification: Verification) {
        verifications[verification.id] = verification
        emit(.follow(user: verification.id.user))
    }

    private func step(_ id: VerificationID, _ body: (Verification) -> Void) {
        guard let verification = verifications[id] else { return }
        body(verification)
        guard verification.isOver else { return }
        verifications[id] = nil
        remember(id)
    }

    private func remember(_ id: VerificationID) {
        ended.append(id)
        if ended.count > Self.rememberedEnds { ended.removeFirst() }
    }
}
