import JSON

/// Begins a new session with a device whose message couldn't be read, at most once an hour ("Recovering from undecryptable
/// messages").
final class Unwedging: CryptoPart {
    static let pause: Int64 = 3_600_000
    static let limit = 500
    /// Of one person's devices, so that nobody uses up what there is for all.
    static let limitOfUser = 10
    private static let keysOfUnknown = 4
    static let name = "olm.unwedged"

    private let context: CryptoContext
    private let tracker: DeviceTracker
    private let letters: DirectMessages
    /// When the last was begun.
    private var begun: [SessionPeer: Int64] = [:]
    /// Senders whose devices aren't known, in the order in which they came, and the keys their messages came with. Everybody
    /// may send a message that nobody can read, so none of them is asked about for that: it is when they turn out to share a
    /// room that they get a new session. Beyond the limit the oldest go.
    private var unknown: [(sender: String, keys: Set<String>)] = []

    init(_ context: CryptoContext, _ tracker: DeviceTracker, _ letters: DirectMessages) throws(CryptoError) {
        self.context = context
        self.tracker = tracker
        self.letters = letters
        guard let bytes = try context.value(of: Self.name), let stored = try? JSONValue(parsing: bytes) else { return }
        for member in stored.object?.members.prefix(Self.limit) ?? [] {
            if let peer = SessionPeer(name: member.key) { begun[peer] = member.value.integer }
        }
    }

    /// Does nothing for devices that their owner doesn't have.
    func couldNotRead(from sender: String, identityKey: String, now: Int64) throws(CryptoError) {
        guard let device = tracker.user(sender)?.devices.first(where: { $0.curve25519 == identityKey }) else {
            if tracker.user(sender) == nil || !tracker.isCurrent([sender]) { remember(sender, identityKey) }
            return
        }
        let peer = SessionPeer(device)
        if let last = begun[peer], now < last + Self.pause, now >= last { return }
        begun = begun.filter { now < $0.value + Self.pause && now >= $0.value }
        // At the bound the device has to begin one itself.
        guard begun.count < Self.limit, begun.keys.count(where: { $0.user == sender }) < Self.limitOfUser else {
            return
        }
        begun[peer] = now
        let object = JSONObject(begun.map { .init($0.key.name, .integer($0.value)) })
        context.changes.values[Self.name] = .some((try? JSONWriter.canonical(.object(object))) ?? [])
        letters.send("m.dummy", [:], to: device, inNewSession: true)
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        guard !unknown.isEmpty else { return }
        let told = unknown.filter { tracker.user($0.sender) != nil && tracker.isCurrent([$0.sender]) }
        guard !told.isEmpty else { return }
        unknown.removeAll { one in told.contains { $0.sender == one.sender } }
        for (sender, keys) in told {
            for key in keys { try couldNotRead(from: sender, identityKey: key, now: now) }
        }
    }

    private func remember(_ sender: String, _ identityKey: String) {
        if let index = unknown.firstIndex(where: { $0.sender == sender }) {
            if unknown[index].keys.count < Self.keysOfUnknown { unknown[index].keys.insert(identityKey) }
            return
        }
        unknown.append((sender: sender, keys: [identityKey]))
        if unknown.count > Self.limit { unknown.removeFirst() }
    }

    var nextDeadline: Int64? { nil }
}
