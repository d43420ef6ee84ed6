import JSON

/// Begins a new session with a device whose message couldn't be read, at most once an hour ("Recovering from undecryptable
/// messages").
final class Unwedging: CryptoPart {
    static let pause: Int64 = 3_600_000
    static let limit = 500
    static let name = "olm.unwedged"

    private let context: CryptoContext
    private let tracker: DeviceTracker
    private let letters: DirectMessages
    /// When the last was begun, by Curve25519 key.
    private var begun: [String: Int64] = [:]
    /// Senders whose devices aren't known yet, and the keys their messages came with; beyond the limit they are forgotten.
    private var unknown: [String: Set<String>] = [:]

    init(_ context: CryptoContext, _ tracker: DeviceTracker, _ letters: DirectMessages) throws(CryptoError) {
        self.context = context
        self.tracker = tracker
        self.letters = letters
        guard let bytes = try context.value(of: Self.name), let stored = try? JSONValue(parsing: bytes) else { return }
        for member in stored.object?.members.prefix(Self.limit) ?? [] { begun[member.key] = member.value.integer }
    }

    /// Does nothing for devices that their owner doesn't have.
    func couldNotRead(from sender: String, identityKey: String, now: Int64) throws(CryptoError) {
        guard let device = tracker.user(sender)?.devices.first(where: { $0.curve25519 == identityKey }) else {
            guard !tracker.isCurrent([sender]), unknown.count < Self.limit else { return }
            unknown[sender, default: []].insert(identityKey)
            return try tracker.follow([sender])
        }
        if let last = begun[identityKey], now < last + Self.pause, now >= last { return }
        begun = begun.filter { now < $0.value + Self.pause && now >= $0.value }
        // At the bound the device has to begin one itself.
        guard begun.count < Self.limit else { return }
        begun[identityKey] = now
        let object = JSONObject(begun.map { .init($0.key, .integer($0.value)) })
        context.changes.values[Self.name] = .some((try? JSONWriter.canonical(.object(object))) ?? [])
        letters.send("m.dummy", [:], to: device, inNewSession: true)
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        for (sender, keys) in unknown where tracker.isCurrent([sender]) {
            unknown[sender] = nil
            for key in keys.prefix(CryptoLimits.devicesOfUser) {
                try couldNotRead(from: sender, identityKey: key, now: now)
            }
        }
    }

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    { [] }
    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {}
    var nextDeadline: Int64? { nil }
}
