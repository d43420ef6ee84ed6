import MatrixCrypto

/// A key store that lasts as long as its object. Its content can be copied, to go back to an earlier state.
final class MemoryStore: CryptoStore {
    struct Content {
        var account: StoredAccount?
        var olmSessions: [String: StoredOlmSession] = [:]
        var inbound: [GroupSessionName: StoredInboundGroupSession] = [:]
        var outbound: [String: StoredOutboundGroupSession] = [:]
        var recipients: [String: Set<SessionRecipient>] = [:]
        var seen: [GroupSessionName: [UInt32: String]] = [:]
        var users: [String: StoredUser] = [:]
        var rooms: [String: RoomEncryption] = [:]
        var values: [String: [UInt8]] = [:]
    }

    var content = Content()
    /// The next writes fail.
    var isFull = false
    /// Sessions can't be read now.
    var isUnreadable = false
    private(set) var writes = 0
    /// By Curve25519 key, ids.
    private var sessionsOfDevice: [String: Set<String>] = [:]

    init(_ content: Content = Content()) {
        self.content = content
        for session in content.olmSessions.values {
            sessionsOfDevice[session.identityKey, default: []].insert(session.id)
        }
    }

    func account() -> StoredAccount? { content.account }

    func write(_ changes: CryptoChanges) throws(CryptoError) {
        if isFull { throw .store("the disk is full") }
        writes += 1
        if let account = changes.account { content.account = account }
        writeOlm(changes)
        writeGroups(changes)
        for (id, user) in changes.users { content.users[id] = user }
        content.rooms.merge(changes.encryptedRooms) { $1 }
        for (name, value) in changes.values { content.values[name] = value }
    }

    private func writeOlm(_ changes: CryptoChanges) {
        for id in changes.removedOlmSessions {
            if let gone = content.olmSessions.removeValue(forKey: id) {
                sessionsOfDevice[gone.identityKey]?.remove(id)
            }
        }
        for (id, session) in changes.olmSessions {
            content.olmSessions[id] = session
            sessionsOfDevice[session.identityKey, default: []].insert(id)
        }
    }

    private func writeGroups(_ changes: CryptoChanges) {
        for name in changes.removedInboundGroupSessions {
            content.inbound[name] = nil
            content.seen[name] = nil
        }
        content.inbound.merge(changes.inboundGroupSessions) { $1 }
        for (room, session) in changes.outboundGroupSessions {
            if let old = content.outbound[room], old.id != session?.id { content.recipients[old.id] = nil }
            content.outbound[room] = session
        }
        for (id, recipients) in changes.recipients { content.recipients[id, default: []].formUnion(recipients) }
        for seen in changes.seenIndices { content.seen[seen.session, default: [:]][seen.index] = seen.event }
    }

    func olmSessions(with identityKey: String) throws(CryptoError) -> [StoredOlmSession] {
        if isUnreadable { throw .store("the disk can't be read") }
        return sessionsOfDevice[identityKey, default: []].compactMap { content.olmSessions[$0] }.sorted {
            $0.used > $1.used
        }
    }

    func inboundGroupSession(_ name: GroupSessionName) -> StoredInboundGroupSession? { content.inbound[name] }

    func inboundGroupSessions(of sender: String, beyond count: Int) -> [GroupSessionName] {
        guard content.inbound.count > count else { return [] }
        let all = content.inbound.values.filter { $0.name.sender == sender }.sorted { $0.received > $1.received }
        return all.dropFirst(count).map(\.name)
    }

    func outboundGroupSession(in room: String) -> StoredOutboundGroupSession? { content.outbound[room] }
    func recipients(of session: String) -> [SessionRecipient] { Array(content.recipients[session] ?? []) }
    func event(at index: UInt32, of session: GroupSessionName) -> String? { content.seen[session]?[index] }
    func highestIndex(of session: GroupSessionName) -> UInt32? { content.seen[session]?.keys.max() }
    func user(_ id: String) -> StoredUser? { content.users[id] }
    func trackedUsers() -> [StoredUser] { Array(content.users.values) }
    func encryptedRooms() -> [String: RoomEncryption] { content.rooms }
    func value(of name: String) -> [UInt8]? { content.values[name] }
}
