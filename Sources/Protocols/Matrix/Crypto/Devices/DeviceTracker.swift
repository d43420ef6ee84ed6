import JSON

/// Whose devices are followed, and what is known of them ("Tracking the device list for a user"). Everything known is in
/// memory too, so that asking costs nothing.
final class DeviceTracker: CryptoPart {
    private let context: CryptoContext
    /// Counts every change to anybody's devices or identity: equal counts mean that nothing has to be looked at again.
    private(set) var generation: UInt64 = 0

    init(_ context: CryptoContext) throws(CryptoError) {
        self.context = context
    }

    /// What a sync said of `device_lists`; only people who are followed are marked.
    func received(changed: [String], left: [String], nextBatch: String) throws(CryptoError) {}

    /// Begins to follow those who aren't yet; `makeCalls` asks for their devices.
    func follow(_ users: [String]) throws(CryptoError) {}

    /// Nil for people who aren't followed or whose devices were never told.
    func user(_ id: String) -> StoredUser? { nil }

    /// Whether the devices of all of them are known and nothing changed since; someone whose server doesn't answer
    /// ("failures") counts as known, with the devices last seen, so that nobody can silence a room.
    func isCurrent(_ users: [String]) -> Bool { true }

    /// The device of a `sender_device_keys` or `/keys/query` object: nil unless it is signed by itself and names this user;
    /// `isCrossSigned` by what is known of the user's identity.
    func checked(_ deviceKeys: JSONValue, of user: String) -> Device? { nil }

    func makeCalls(now: Int64) throws(CryptoError) {}
    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    { [] }
    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {}
    var nextDeadline: Int64? { nil }
}
