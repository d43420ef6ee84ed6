import JSON

/// What the parts of the machine share: who this device is, its library and store, what the step under way has changed so
/// far, and the calls that wait to be made.
final class CryptoContext {
    let userID: String
    let deviceID: String
    let driver: any OlmDriver
    let store: any CryptoStore
    let pickleKey: [UInt8]
    let random: (Int) -> [UInt8]
    /// Written at the end of the step. After a write that failed they stay, and go with the next one: what is in memory is
    /// ahead of the store then, and nothing is given out until both agree again.
    var changes = CryptoChanges()
    var calls = CallQueue()
    /// Of every room that was ever seen to be encrypted.
    var encryptedRooms: [String: RoomEncryption] = [:]

    init(
        userID: String, deviceID: String, driver: any OlmDriver, store: any CryptoStore, pickleKey: [UInt8],
        random: @escaping (Int) -> [UInt8]
    ) {
        self.userID = userID
        self.deviceID = deviceID
        self.driver = driver
        self.store = store
        self.pickleKey = pickleKey
        self.random = random
    }

    func save() throws(CryptoError) {
        guard !changes.isEmpty else { return }
        try store.write(changes)
        changes = CryptoChanges()
    }

    /// A stored value as the step under way sees it.
    func value(of name: String) throws(CryptoError) -> [UInt8]? {
        if let changed = changes.values[name] { return changed }
        return try store.value(of: name)
    }
}

/// A part of the machine that makes calls of its own and gets their answers.
protocol CryptoPart: AnyObject {
    /// Adds what is due now to `CryptoContext.calls`; called before each `requests`, so it is cheap when nothing is.
    func makeCalls(now: Int64) throws(CryptoError)
    /// What came of a call that this part had added.
    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    /// The call was refused for good. After a transient failure the queue makes it again by itself.
    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError)
    /// The call has failed for so long that nothing should wait for it. It is made on; told again after each failure.
    func delayed(_ id: UInt64, now: Int64)
    /// When `makeCalls` has something to do although nothing came.
    var nextDeadline: Int64? { get }
}

/// For parts whose calls need no answer.
extension CryptoPart {
    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    { [] }
    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {}
    func delayed(_ id: UInt64, now: Int64) {}
}
