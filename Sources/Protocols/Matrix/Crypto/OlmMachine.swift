public import JSON

/// End-to-end encryption of one device, without I/O: push what `/sync` brought, pull the calls to make, report how they
/// ended. Time (milliseconds since 1970) and random bytes are handed in; everything that changed is written to the store
/// before a method returns, so what it hands out may be sent.
///
/// Its methods block for the store's writes and are called from one thread at a time. After an error of the store the same
/// call may be made again.
public final class OlmMachine {
    let context: CryptoContext
    let tracker: DeviceTracker
    /// Whose devices get keys and are read.
    public let trust: DeviceTrust

    public var userID: String { context.userID }
    public var deviceID: String { context.deviceID }

    /// Makes the device's keys when the store is empty. `CryptoError.otherIdentity` when the store belongs to another user or
    /// device.
    public init(
        userID: String, deviceID: String, driver: any OlmDriver, store: any CryptoStore, pickleKey: [UInt8],
        trust: DeviceTrust = .crossSignedOrWithout, random: @escaping (Int) -> [UInt8]
    ) throws(CryptoError) {
        context = CryptoContext(
            userID: userID, deviceID: deviceID, driver: driver, store: store, pickleKey: pickleKey, random: random)
        tracker = try DeviceTracker(context)
        self.trust = trust
    }

    /// What one sync brought, in one transaction of the store: after an error nothing of it is lost, and the sync may be
    /// handed in again. To-device events come before the timelines of the same sync.
    ///
    /// `CryptoError.otherIdentity`: see `ownKeysStatus`.
    public func received(_ sync: CryptoSync, now: Int64) throws(CryptoError) -> [CryptoEvent] { [] }

    /// Calls to make now. Each is given out once, until it is answered or failed.
    public func requests(now: Int64) throws(CryptoError) -> [CryptoRequest] { [] }

    /// A call was answered with 200.
    public func answered(_ id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError) -> [CryptoEvent] { [] }

    /// A call wasn't. What failed for a while comes again from `requests` after a pause.
    public func failed(_ id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {}

    /// When `requests` should be asked again although nothing came; milliseconds since 1970.
    public var nextDeadline: Int64? { nil }

    /// What the first `/keys/query` of the own user said of this device's keys. With `other` the store was lost or swapped:
    /// nothing is uploaded, every method that needs keys throws `CryptoError.otherIdentity`, and a new device has to be
    /// logged in, with a new store.
    public var ownKeysStatus: OwnKeysStatus { .unknown }

    /// This device's public keys.
    public var identityKeys: IdentityKeys { IdentityKeys(curve25519: "", ed25519: "") }

    /// A state event `m.room.encryption` was seen; it holds from now on, whatever later states say. Of later settings the
    /// numbers are taken.
    public func noteEncryption(of room: String, _ settings: RoomEncryption) throws(CryptoError) {}

    /// Whether a room was ever seen to be encrypted.
    public func isEncrypted(_ room: String) -> Bool { false }

    /// An `m.room.encrypted` of a room's timeline.
    ///
    /// `missingKey` also when the sender's devices aren't known yet; `CryptoEvent.roomKey` says when to try again. Asks for the
    /// key at most once an hour.
    public func decrypt(_ event: EncryptedEvent, in room: String, now: Int64) throws(CryptoError) -> Decryption {
        .missingKey(session: "")
    }

    /// Before each message: looks whether a new session is due, who lacks its key, and whose devices have to be asked for.
    /// `waiting` until the calls it made are answered or given up; then it is asked again.
    public func prepare(_ audience: RoomAudience, now: Int64) throws(CryptoError) -> RoomReadiness { .waiting }

    /// The content of the `m.room.encrypted` to send. `m.relates_to` stays outside, in clear, the rest goes inside. Only after
    /// `prepare` said `ready`; throws `CryptoError.notPrepared` otherwise.
    public func encrypt(type: String, content: JSONValue, in room: String, now: Int64) throws(CryptoError) -> JSONValue
    {
        content
    }

    /// The next message begins a new session: after a limited sync with memberships other than `join`, and when the history
    /// visibility changed. People and devices that left are seen by `prepare` itself.
    public func forgetOutboundSession(in room: String) throws(CryptoError) {}

    /// Sends a to-device event to devices that the tracker knows, encrypted or in clear. Devices that can't be reached are
    /// left out.
    public func send(
        type: String, content: JSONValue, to devices: [DeviceName], encrypted: Bool, now: Int64
    ) throws(CryptoError) {}

    /// What is known of somebody's devices; nil when they aren't followed.
    public func user(_ id: String) -> StoredUser? { tracker.user(id) }

    /// Begins to follow people's devices.
    public func follow(_ users: [String]) throws(CryptoError) {
        try tracker.follow(users)
        try context.save()
    }
}

/// Whose devices get keys, and whose messages are believed.
public enum DeviceTrust: Equatable, Sendable {
    /// Devices that their owner has cross-signed (MSC4153).
    case crossSigned
    /// Those, and the devices of people who have no cross-signing at all. Who was seen with it once is held to it, so that a
    /// server can't take it away to slip in a device.
    case crossSignedOrWithout
}

public enum OwnKeysStatus: Equatable, Sendable {
    case unknown
    /// The homeserver has this store's keys, or none for this device yet.
    case same
    /// It has other keys for this device.
    case other
}

public struct DeviceName: Hashable, Sendable {
    public let user: String
    public let device: String

    public init(user: String, device: String) {
        self.user = user
        self.device = device
    }
}
