public import MatrixCrypto

/// Keeps keys as long as the test runs. It passes the same suite as the database (`StateTests`).
public final class MemoryKeyStore: CryptoStore {
    /// Thrown by every `write` until it is nil again, as on a full disk.
    public var fault: CryptoError?
    public private(set) var writes = 0

    private var storedAccount: StoredAccount?
    private var olm: [String: StoredOlmSession] = [:]
    private var inbound: [GroupSessionName: StoredInboundGroupSession] = [:]
    private var outbound: [String: StoredOutboundGroupSession] = [:]
    private var recipients: [String: Set<SessionRecipient>] = [:]
    private var seen: [GroupSessionName: [UInt32: String]] = [:]
    private var users: [String: StoredUser] = [:]
    private var rooms: [String: RoomEncryption] = [:]
    private var values: [String: [UInt8]] = [:]

    public init() {}

    public func account() throws(CryptoError) -> StoredAccount? { storedAccount }

    public func write(_ changes: CryptoChanges) throws(CryptoError) {
        if let fault { throw fault }
        writes += 1
        storedAccount = changes.account ?? storedAccount
        for id in changes.removedOlmSessions { olm[id] = nil }
        olm.merge(changes.olmSessions) { $1 }
        while olm.count > CryptoLimits.olmSessions, let oldest = olm.values.min(by: { $0.used < $1.used }) {
            olm[oldest.id] = nil
        }
        for name in changes.removedInboundGroupSessions {
            inbound[name] = nil
            seen[name] = nil
        }
        inbound.merge(changes.inboundGroupSessions) { $1 }
        for (room, session) in changes.outboundGroupSessions {
            if let before = outbound[room], before.id != session?.id { recipients[before.id] = nil }
            outbound[room] = session
        }
        for (session, added) in changes.recipients { recipients[session, default: []].formUnion(added) }
        for one in changes.seenIndices {
            let name = one.session
            var known = seen[name] ?? [:]
            if known[one.index] == nil { known[one.index] = one.event }
            seen[name] = known.filter { Int64($0.key) > Int64(one.index) - Int64(CryptoLimits.replayWindow) }
        }
        for (id, user) in changes.users { users[id] = user }
        rooms.merge(changes.encryptedRooms) { $1 }
        for (name, value) in changes.values { values[name] = value }
    }

    public func olmSessions(with identityKey: String) throws(CryptoError) -> [StoredOlmSession] {
        olm.values.filter { $0.identityKey == identityKey }
            .sorted { ($1.used, $1.made, $0.id) < ($0.used, $0.made, $1.id) }
    }

    public func inboundGroupSession(_ name: GroupSessionName) throws(CryptoError) -> StoredInboundGroupSession? {
        inbound[name]
    }

    public func inboundGroupSessions(of sender: String, beyond count: Int) throws(CryptoError) -> [GroupSessionName] {
        inbound.values.filter { $0.name.sender == sender }.sorted { $0.received > $1.received }.dropFirst(count)
            .map(\.name)
    }

    public func outboundGroupSession(in room: String) throws(CryptoError) -> StoredOutboundGroupSession? {
        outbound[room]
    }

    public func recipients(of session: String) throws(CryptoError) -> [SessionRecipient] {
        Array(recipients[session] ?? [])
    }

    public func event(at index: UInt32, of session: GroupSessionName) throws(CryptoError) -> String? {
        seen[session]?[index]
    }

    public func highestIndex(of session: GroupSessionName) throws(CryptoError) -> UInt32? {
        seen[session]?.keys.max()
    }

    public func user(_ id: String) throws(CryptoError) -> StoredUser? { users[id] }
    public func trackedUsers() throws(CryptoError) -> [StoredUser] { users.values.sorted { $0.id < $1.id } }
    public func encryptedRooms() throws(CryptoError) -> [String: RoomEncryption] { rooms }
    public func value(of name: String) throws(CryptoError) -> [UInt8]? { values[name] }
}
