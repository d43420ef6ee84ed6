import MatrixCrypto
import TestSupport

/// Keeps keys in memory, and can't write as long as there is a fault.
final class FaultyStore: CryptoStore {
    private let inner = MemoryKeyStore()
    private let fault: @Sendable () -> CryptoError?

    init(fault: @escaping @Sendable () -> CryptoError?) {
        self.fault = fault
    }

    func account() throws(CryptoError) -> StoredAccount? { try inner.account() }
    func write(_ changes: CryptoChanges) throws(CryptoError) {
        if let fault = fault() { throw fault }
        try inner.write(changes)
    }
    func olmSessions(with identityKey: String) throws(CryptoError) -> [StoredOlmSession] {
        try inner.olmSessions(with: identityKey)
    }
    func inboundGroupSession(_ name: GroupSessionName) throws(CryptoError) -> StoredInboundGroupSession? {
        try inner.inboundGroupSession(name)
    }
    func inboundGroupSessions(of sender: String, beyond count: Int) throws(CryptoError) -> [GroupSessionName] {
        try inner.inboundGroupSessions(of: sender, beyond: count)
    }
    func outboundGroupSession(in room: String) throws(CryptoError) -> StoredOutboundGroupSession? {
        try inner.outboundGroupSession(in: room)
    }
    func recipients(of session: String) throws(CryptoError) -> [SessionRecipient] {
        try inner.recipients(of: session)
    }
    func event(at index: UInt32, of session: GroupSessionName) throws(CryptoError) -> String? {
        try inner.event(at: index, of: session)
    }
    func highestIndex(of session: GroupSessionName) throws(CryptoError) -> UInt32? {
        try inner.highestIndex(of: session)
    }
    func user(_ id: String) throws(CryptoError) -> StoredUser? { try inner.user(id) }
    func trackedUsers() throws(CryptoError) -> [StoredUser] { try inner.trackedUsers() }
    func encryptedRooms() throws(CryptoError) -> [String: RoomEncryption] { try inner.encryptedRooms() }
    func value(of name: String) throws(CryptoError) -> [UInt8]? { try inner.value(of: name) }
}
