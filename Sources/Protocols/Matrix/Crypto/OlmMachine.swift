public import JSON

/// End-to-end encryption of one device, without I/O: push what `/sync` brought, pull the calls to make, report how they
/// ended. Time (milliseconds since 1970) and random bytes are handed in; everything that changed is written to the store
/// before a method returns, so what it hands out may be sent.
///
/// Its methods block for the store's writes and are called from one thread at a time. After an error of the store the same
/// call may be made again.
public final class OlmMachine {
    let context: CryptoContext
    let account: OwnAccount
    let tracker: DeviceTracker
    let toDevice: ToDeviceOutbox
    let letters: DirectMessages
    let keySharing: KeySharing
    let roomReader: RoomReader
    let roomWriter: RoomWriter
    let outbound: OutboundSessions
    /// Asked for calls in this order.
    private let parts: [any CryptoPart]
    /// Asked once it is sure that this device is the one that the server knows.
    private let identityParts: [any CryptoPart]
    private let ownKeys: OwnKeys
    let crossSigning: CrossSigning?
    private let olmSessions: OlmSessions
    private let inbound: InboundSessions
    private let toDeviceReader: ToDeviceReader
    /// What came of steps whose writing failed.
    private var events: [CryptoEvent] = []
    private let early: EarlyKeys
    /// Whose devices get keys and are read.
    public let trust: DeviceTrust

    public var userID: String { context.userID }
    public var deviceID: String { context.deviceID }

    /// Makes the device's keys when the store is empty. Without `identity` the account's cross-signing keys are left alone.
    /// `CryptoError.otherIdentity` when the store belongs to another user or device.
    public init(
        userID: String, deviceID: String, driver: any OlmDriver, store: any CryptoStore, pickleKey: [UInt8],
        trust: DeviceTrust = .crossSignedOrWithout, identity: IdentityEquipment? = nil,
        random: @escaping (Int) -> [UInt8]
    ) throws(CryptoError) {
        let context = CryptoContext(
            userID: userID, deviceID: deviceID, driver: driver, store: store, pickleKey: pickleKey, random: random)
        self.context = context
        self.trust = trust
        account = try OwnAccount(context)
        ownKeys = try OwnKeys(context, account)
        tracker = try DeviceTracker(context)
        context.encryptedRooms = try store.encryptedRooms()

        olmSessions = OlmSessions(context)
        toDevice = ToDeviceOutbox(context)
        let writer = OlmWriter(context, account, olmSessions)
        let starter = try SessionStarter(context, account, olmSessions, toDevice)
        letters = DirectMessages(writer, olmSessions, starter, toDevice)

        inbound = InboundSessions(context)
        early = try EarlyKeys(context, inbound, tracker)
        let keyRequests = try KeyRequests(context, toDevice)
        roomReader = RoomReader(
            context, sessions: inbound, early: early, requests: keyRequests, tracker: tracker, trust: trust)
        let unwedging = try Unwedging(context, tracker, letters)
        toDeviceReader = try ToDeviceReader(
            context, account: account, sessions: olmSessions, tracker: tracker, unwedging: unwedging,
            roomKeys: RoomKeys(
                context, sessions: inbound, early: early, requests: keyRequests, tracker: tracker, trust: trust),
            keyRequests: keyRequests)

        outbound = OutboundSessions(context)
        roomWriter = RoomWriter(context, account, outbound)
        keySharing = KeySharing(
            context, account: account, tracker: tracker, sessions: outbound, olmSessions: olmSessions, writer: writer,
            starter: starter, trust: trust)
        // Those that want Olm sessions come before the one that claims keys for them.
        parts = [ownKeys, tracker, unwedging, keyRequests, letters, keySharing, starter, toDevice]
        if let identity {
            let vault = SecretVault(context: context, cipher: identity.cipher)
            let storage = try SecretStorage(context, identity, vault: vault)
            let crossSigning = try CrossSigning(
                context, account, storage: storage, vault: vault, tracker: tracker)
            self.crossSigning = crossSigning
            identityParts = [crossSigning, storage]
        } else {
            crossSigning = nil
            identityParts = []
        }
    }

    /// Calls know the parts that made them, and those know the queue.
    deinit { context.calls = CallQueue() }

    /// What one sync brought, in one transaction of the store: after an error nothing of it is lost, and the sync may be
    /// handed in again. To-device events come before the timelines of the same sync.
    ///
    /// `CryptoError.otherIdentity`: see `ownKeysStatus`.
    public func received(_ sync: CryptoSync, now: Int64) throws(CryptoError) -> [CryptoEvent] {
        try requireOwnKeys()
        try step { () throws(CryptoError) in
            try tracker.received(changed: sync.changed, left: sync.left, nextBatch: sync.nextBatch)
            if sync.changed.contains(userID) { crossSigning?.changed() }
            events += crossSigning?.takeNotices() ?? []
            for event in sync.toDevice { events += try toDeviceReader.read(event, now: now) }
            ownKeys.received(counts: sync.oneTimeKeyCounts, unusedFallbackTypes: sync.unusedFallbackTypes)
        }
        return takeEvents()
    }

    /// Calls to make now. Each is given out once, until it is answered or failed.
    public func requests(now: Int64) throws(CryptoError) -> [CryptoRequest] {
        guard ownKeys.status != .other else { return [] }
        var failure: CryptoError?
        try step { () throws(CryptoError) in
            for part in parts { failure = makeCalls(of: part, now: now) ?? failure }
            guard ownKeys.status == .same else { return }
            for part in identityParts { failure = makeCalls(of: part, now: now) ?? failure }
        }
        let due = context.calls.due(now: now)
        // What can be called is; the next time tells whether it still fails.
        if due.isEmpty, let failure { throw failure }
        return due
    }

    /// One part that can't go on now keeps none of the others back.
    private func makeCalls(of part: any CryptoPart, now: Int64) -> CryptoError? {
        do throws(CryptoError) {
            try part.makeCalls(now: now)
            return nil
        } catch {
            return error
        }
    }

    /// A call was answered with 200. After an error the same answer may be handed in again.
    public func answered(_ id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError) -> [CryptoEvent] {
        try step { () throws(CryptoError) in
            guard let (call, part) = context.calls.find(id) else { return }
            events += try part.answered(call, id: id, body, now: now)
            context.calls.finish(id)
            events += crossSigning?.takeNotices() ?? []
            events += roomReader.devicesTold()
        }
        return takeEvents()
    }

    /// A call wasn't. What failed for a while comes again from `requests` after a pause, and after some time nothing waits for it.
    public func failed(_ id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        if failure == .transient {
            if context.calls.postpone(id, now: now) { context.calls.find(id)?.part.delayed(id, now: now) }
            return
        }
        try step { () throws(CryptoError) in
            guard let (call, part) = context.calls.find(id) else { return }
            try part.failed(call, id: id, failure, now: now)
            context.calls.finish(id)
        }
    }

    /// When `requests` should be asked again although nothing came; milliseconds since 1970.
    public var nextDeadline: Int64? {
        guard ownKeys.status != .other else { return nil }
        let all = ownKeys.status == .same ? parts + identityParts : parts
        return (all.compactMap(\.nextDeadline) + [context.calls.nextDeadline].compactMap(\.self)).min()
    }

    /// What the first `/keys/query` of the own user said of this device's keys. With `other` the store was lost or swapped:
    /// nothing is uploaded, every method that needs keys throws `CryptoError.otherIdentity`, and a new device has to be
    /// logged in, with a new store.
    public var ownKeysStatus: OwnKeysStatus { ownKeys.status }

    /// The device's keys are on the server, and signed by its account if that can be had now. What is encrypted before isn't
    /// encrypted for this device: many clients leave out one that isn't signed.
    public var isIntroduced: Bool {
        account.isUploaded && ownKeys.status == .same && crossSigning.map { $0.status != .unknown } ?? true
    }

    /// How the account's cross-signing stands; `unknown` without `identity`.
    public var identityStatus: IdentityStatus { crossSigning?.status ?? .unknown }

    /// Syncs go on from this position, nil for none. When it isn't the one that was seen last, the server is asked whose
    /// devices changed meanwhile.
    public func resumes(from position: String?) { tracker.resumes(from: position) }

    /// This device's public keys.
    public var identityKeys: IdentityKeys { account.identityKeys }

    func requireOwnKeys() throws(CryptoError) {
        if ownKeys.status == .other { throw .otherIdentity }
    }

    /// One step: what it changed is written at its end, all at once. After an error what is in memory stays as it is, and is
    /// written with the next step.
    func step<Value>(_ work: () throws(CryptoError) -> Value) throws(CryptoError) -> Value {
        let value: Value
        do {
            value = try work()
            try account.flush()
            try olmSessions.flush()
            toDeviceReader.flush()
            try context.save()
        }
        olmSessions.trim()
        inbound.trim()
        outbound.trim()
        return value
    }

    private func takeEvents() -> [CryptoEvent] {
        defer { events.removeAll() }
        return events
    }

    func note(_ settings: RoomEncryption, of room: String) {
        guard context.encryptedRooms[room] != settings else { return }
        context.encryptedRooms[room] = settings
        early.isEncrypted(room)
        context.changes.encryptedRooms[room] = settings
    }
}

public enum OwnKeysStatus: Equatable, Sendable {
    case unknown
    /// The homeserver has this store's keys, or none for this device yet.
    case same
    /// It has other keys for this device.
    case other
}
