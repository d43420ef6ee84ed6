public import MatrixCrypto
import Synchronization

/// Keeps keys as long as the test runs. It passes the same suite as the database (`StateTests`). Its content can be copied, to go
/// back to an earlier state.
public final class MemoryKeyStore: CryptoStore {
    public struct Content {
        public var account: StoredAccount?
        public var olmSessions: [String: StoredOlmSession] = [:]
        public var inbound: [GroupSessionName: StoredInboundGroupSession] = [:]
        public var outbound: [String: StoredOutboundGroupSession] = [:]
        public var recipients: [String: Set<SessionRecipient>] = [:]
        public var seen: [GroupSessionName: [UInt32: String]] = [:]
        public var users: [String: StoredUser] = [:]
        public var rooms: [String: RoomEncryption] = [:]
        public var values: [String: [UInt8]] = [:]
        /// By what they are with.
        fileprivate var sessionsOfDevice: [String: Set<String>] = [:]

        public init() {}
    }

    public private(set) var content: Content
    public private(set) var writes = 0
    /// Sessions can't be read now.
    public var isUnreadable = false
    private let writeFault = Mutex<CryptoError?>(nil)

    /// Thrown by every `write` until it is nil again. May be set on any thread.
    public var fault: CryptoError? {
        get { writeFault.withLock(\.self) }
        set { writeFault.withLock { $0 = newValue } }
    }

    public var isFull: Bool {
        get { fault != nil }
        set { fault = newValue ? .store("the disk is full") : nil }
    }

    public init(_ content: Content = Content()) {
        self.content = content
    }

    public func account() throws(CryptoError) -> StoredAccount? { content.account }

    public func write(_ changes: CryptoChanges) throws(CryptoError) {
        if let fault { throw fault }
        writes += 1
        content.account = changes.account ?? content.account
        writeOlm(changes)
        writeGroups(changes)
        for one in changes.seenIndices { saw(one) }
        for (id, user) in changes.users { content.users[id] = user }
        content.rooms.merge(changes.encryptedRooms) { $1 }
        for (name, value) in changes.values { content.values[name] = value }
    }

    private func writeOlm(_ changes: CryptoChanges) {
        for id in changes.removedOlmSessions { forgetOlm(id) }
        for (id, session) in changes.olmSessions {
            content.olmSessions[id] = session
            content.sessionsOfDevice[session.identityKey, default: []].insert(id)
        }
        while content.olmSessions.count > CryptoLimits.olmSessions,
            let oldest = content.olmSessions.values.min(by: { $0.used < $1.used })
        {
            forgetOlm(oldest.id)
        }
    }

    private func forgetOlm(_ id: String) {
        guard let gone = content.olmSessions.removeValue(forKey: id) else { return }
        content.sessionsOfDevice[gone.identityKey]?.remove(id)
    }

    private func writeGroups(_ changes: CryptoChanges) {
        for name in changes.removedInboundGroupSessions {
            content.inbound[name] = nil
            content.seen[name] = nil
        }
        content.inbound.merge(changes.inboundGroupSessions) { $1 }
        for (room, session) in changes.outboundGroupSessions {
            if let before = content.outbound[room], before.id != session?.id { content.recipients[before.id] = nil }
            content.outbound[room] = session
        }
        for (session, added) in changes.recipients { content.recipients[session, default: []].formUnion(added) }
    }

    private func saw(_ one: SeenIndex) {
        let highest = content.seen[one.session]?.keys.max()
        if content.seen[one.session]?[one.index] == nil {
            content.seen[one.session, default: [:]][one.index] = one.event
        }
        guard one.index > highest ?? 0 else { return }
        let lowest = Int64(one.index) - Int64(CryptoLimits.replayWindow)
        for index in content.seen[one.session]?.keys.filter({ Int64($0) <= lowest }) ?? [] {
            content.seen[one.session]?[index] = nil
        }
    }

    public func olmSessions(with identityKey: String) throws(CryptoError) -> [StoredOlmSession] {
        if isUnreadable { throw .store("the disk can't be read") }
        return content.sessionsOfDevice[identityKey, default: []].compactMap { content.olmSessions[$0] }
            .sorted { ($1.used, $1.made, $0.id) < ($0.used, $0.made, $1.id) }
    }

    public func inboundGroupSession(_ name: GroupSessionName) throws(CryptoError) -> StoredInboundGroupSession? {
        content.inbound[name]
    }

    public func inboundGroupSessions(of sender: String, beyond count: Int) throws(CryptoError) -> [GroupSessionName] {
        guard content.inbound.count > count else { return [] }
        return content.inbound.values.filter { $0.name.sender == sender }.sorted { $0.received > $1.received }
            .dropFirst(count).map(\.name)
    }

    public func outboundGroupSession(in room: String) throws(CryptoError) -> StoredOutboundGroupSession? {
        content.outbound[room]
    }

    public func recipients(of session: String) throws(CryptoError) -> [SessionRecipient] {
        Array(content.recipients[session] ?? [])
    }

    public func event(at index: UInt32, of session: GroupSessionName) throws(CryptoError) -> String? {
        content.seen[session]?[index]
    }

    public func highestIndex(of session: GroupSessionName) throws(CryptoError) -> UInt32? {
        content.seen[session]?.keys.max()
    }

    public func user(_ id: String) throws(CryptoError) -> StoredUser? { content.users[id] }
    public func trackedUsers() throws(CryptoError) -> [StoredUser] { content.users.values.sorted { $0.id < $1.id } }
    public func encryptedRooms() throws(CryptoError) -> [String: RoomEncryption] { content.rooms }
    public func value(of name: String) throws(CryptoError) -> [UInt8]? { content.values[name] }
}
