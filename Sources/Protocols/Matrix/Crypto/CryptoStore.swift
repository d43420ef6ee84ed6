/// Where keys outlive the program. Calls block; they come from the machine's own thread alone.
///
/// What changed is written by `write` in one transaction: with one sync everything of it is there, or nothing. Pickles come
/// encrypted already.
public protocol CryptoStore: AnyObject {
    /// Nil for a store that has never been used.
    func account() throws(CryptoError) -> StoredAccount?
    func write(_ changes: CryptoChanges) throws(CryptoError)

    /// Sessions with one device, by what their `identityKey` says; last used first. In all at most `CryptoLimits.olmSessions` are
    /// kept: `write` lets those go that were unused for longest.
    func olmSessions(with identityKey: String) throws(CryptoError) -> [StoredOlmSession]
    func inboundGroupSession(_ name: GroupSessionName) throws(CryptoError) -> StoredInboundGroupSession?
    /// Of one sender's sessions, in all rooms, those that were received before the newest `count`.
    func inboundGroupSessions(of sender: String, beyond count: Int) throws(CryptoError) -> [GroupSessionName]
    func outboundGroupSession(in room: String) throws(CryptoError) -> StoredOutboundGroupSession?
    /// Who has the key of an outbound session, or was told that it won't come. They go with their session, also when a
    /// newer one takes its place.
    func recipients(of session: String) throws(CryptoError) -> [SessionRecipient]
    /// The event that a message index was first seen with. Indices go with their session; those that lie
    /// `CryptoLimits.replayWindow` or more below the session's highest go when a higher one is written.
    func event(at index: UInt32, of session: GroupSessionName) throws(CryptoError) -> String?
    /// The highest index that was seen.
    func highestIndex(of session: GroupSessionName) throws(CryptoError) -> UInt32?

    func user(_ id: String) throws(CryptoError) -> StoredUser?
    /// Everybody whose devices are followed.
    func trackedUsers() throws(CryptoError) -> [StoredUser]

    /// Rooms whose encryption was seen once: it is never taken back.
    func encryptedRooms() throws(CryptoError) -> [String: RoomEncryption]

    /// A secret or small state by name (`cross_signing.master`); the values come encrypted where they are secret.
    func value(of name: String) throws(CryptoError) -> [UInt8]?
}

/// Everything that one step of the machine changed.
public struct CryptoChanges: Equatable, Sendable {
    public var account: StoredAccount?
    /// By session id.
    public var olmSessions: [String: StoredOlmSession] = [:]
    public var removedOlmSessions: Set<String> = []
    public var inboundGroupSessions: [GroupSessionName: StoredInboundGroupSession] = [:]
    public var removedInboundGroupSessions: Set<GroupSessionName> = []
    /// By room; nil: forgotten.
    public var outboundGroupSessions: [String: StoredOutboundGroupSession?] = [:]
    /// Additional ones, by session id.
    public var recipients: [String: Set<SessionRecipient>] = [:]
    public var seenIndices: [SeenIndex] = []
    /// By id; nil: nobody's devices to follow any more.
    public var users: [String: StoredUser?] = [:]
    public var encryptedRooms: [String: RoomEncryption] = [:]
    /// By name; nil: removed.
    public var values: [String: [UInt8]?] = [:]

    public init() {}

    public var isEmpty: Bool { self == CryptoChanges() }
}

public struct StoredAccount: Equatable, Sendable {
    public let userID: String
    public let deviceID: String
    public let pickle: [UInt8]
    /// The device keys are on the server.
    public let isUploaded: Bool

    public init(userID: String, deviceID: String, pickle: [UInt8], isUploaded: Bool) {
        self.userID = userID
        self.deviceID = deviceID
        self.pickle = pickle
        self.isUploaded = isUploaded
    }
}

public struct StoredOlmSession: Equatable, Sendable {
    public let id: String
    /// Whom it is with: the other device's Curve25519 key, a space and its user.
    public let identityKey: String
    public let pickle: [UInt8]
    /// Milliseconds since 1970.
    public let made: Int64
    /// When it last decrypted, or was made.
    public let used: Int64

    public init(id: String, identityKey: String, pickle: [UInt8], made: Int64, used: Int64) {
        self.id = id
        self.identityKey = identityKey
        self.pickle = pickle
        self.made = made
        self.used = used
    }
}

/// Somebody's session in a room. The sender belongs to it: whoever got a session's key could hand it in as their own, and
/// must not take the session from the one who made it.
public struct GroupSessionName: Hashable, Sendable {
    public let room: String
    public let session: String
    public let sender: String

    public init(room: String, session: String, sender: String) {
        self.room = room
        self.session = session
        self.sender = sender
    }
}

public struct StoredInboundGroupSession: Equatable, Sendable {
    /// Its sender is who sent the key, proven by the Olm session that it came in.
    public let name: GroupSessionName
    public let identityKey: String
    /// The sending device's Ed25519 key.
    public let signingKey: String
    public let pickle: [UInt8]
    public let firstIndex: UInt32
    /// Milliseconds since 1970.
    public let received: Int64
    /// The sending device was found among its owner's and trusted once; it may have been logged out since.
    public let isTrusted: Bool

    public init(
        name: GroupSessionName, identityKey: String, signingKey: String, pickle: [UInt8], firstIndex: UInt32,
        received: Int64, isTrusted: Bool
    ) {
        self.name = name
        self.identityKey = identityKey
        self.signingKey = signingKey
        self.pickle = pickle
        self.firstIndex = firstIndex
        self.received = received
        self.isTrusted = isTrusted
    }
}

public struct StoredOutboundGroupSession: Equatable, Sendable {
    public let id: String
    public let room: String
    public let pickle: [UInt8]
    /// Milliseconds since 1970.
    public let made: Int64
    public let messageCount: Int
    /// The room's `history_visibility` when it was made.
    public let historyVisibility: String

    public init(
        id: String, room: String, pickle: [UInt8], made: Int64, messageCount: Int, historyVisibility: String
    ) {
        self.id = id
        self.room = room
        self.pickle = pickle
        self.made = made
        self.messageCount = messageCount
        self.historyVisibility = historyVisibility
    }
}

public struct SessionRecipient: Hashable, Sendable {
    public let user: String
    public let device: String
    public let identityKey: String
    /// It was told `m.room_key.withheld` instead.
    public let isWithheld: Bool

    public init(user: String, device: String, identityKey: String, isWithheld: Bool) {
        self.user = user
        self.device = device
        self.identityKey = identityKey
        self.isWithheld = isWithheld
    }
}

/// A message index that was read, so that a repetition under another event id is noticed.
public struct SeenIndex: Equatable, Sendable {
    public let session: GroupSessionName
    public let index: UInt32
    public let event: String

    public init(session: GroupSessionName, index: UInt32, event: String) {
        self.session = session
        self.index = index
        self.event = event
    }
}

/// A person whose devices are followed ("Tracking the device list for a user").
public struct StoredUser: Equatable, Sendable {
    public let id: String
    /// Something changed since the last `/keys/query`.
    public let isOutdated: Bool
    public let devices: [Device]
    public let identity: UserIdentity?

    public init(id: String, isOutdated: Bool, devices: [Device], identity: UserIdentity?) {
        self.id = id
        self.isOutdated = isOutdated
        self.devices = devices
        self.identity = identity
    }
}

/// A device whose keys were checked: signed by itself, and the same as when first seen.
public struct Device: Equatable, Sendable {
    public let user: String
    public let id: String
    public let curve25519: String
    public let ed25519: String
    public let algorithms: [String]
    /// Signed by its owner's self-signing key, which the owner's master key signed.
    public let isCrossSigned: Bool

    public init(
        user: String, id: String, curve25519: String, ed25519: String, algorithms: [String], isCrossSigned: Bool
    ) {
        self.user = user
        self.id = id
        self.curve25519 = curve25519
        self.ed25519 = ed25519
        self.algorithms = algorithms
        self.isCrossSigned = isCrossSigned
    }
}

/// A person's cross-signing keys.
public struct UserIdentity: Equatable, Sendable {
    public let masterKey: String
    public let selfSigningKey: String?

    public init(masterKey: String, selfSigningKey: String?) {
        self.masterKey = masterKey
        self.selfSigningKey = selfSigningKey
    }
}

/// `m.room.encryption`, held to sane numbers.
public struct RoomEncryption: Equatable, Sendable {
    /// Messages after which a new session begins.
    public let rotationMessages: Int
    /// Milliseconds.
    public let rotationPeriod: Int64

    public init(rotationMessages: Int, rotationPeriod: Int64) {
        self.rotationMessages = rotationMessages
        self.rotationPeriod = rotationPeriod
    }
}
