import JSON

/// Takes the keys that others send for their messages (`m.room_key`). Only what came through Olm gets here, so the sender and
/// the device are known.
final class RoomKeys {
    private let context: CryptoContext
    private let sessions: InboundSessions
    private let early: EarlyKeys
    private let requests: KeyRequests
    private let tracker: DeviceTracker
    private let trust: DeviceTrust

    init(
        _ context: CryptoContext, sessions: InboundSessions, early: EarlyKeys, requests: KeyRequests,
        tracker: DeviceTracker,
        trust: DeviceTrust
    ) {
        self.context = context
        self.sessions = sessions
        self.early = early
        self.requests = requests
        self.tracker = tracker
        self.trust = trust
    }

    func received(_ payload: OlmPayload, now: Int64) throws -> [CryptoEvent] {
        let told = try ToldKey(payload.content, from: payload.sender)
        guard let session = try? context.driver.inboundGroupSession(sessionKey: told.key),
            session.id == told.name.session
        else { throw Discarded(reason: "the session key isn't the session's") }
        return try take(session, named: told.name, from: payload, now: now)
    }

    /// An answer to a request of ours. Nobody else's word is taken than that of the device which made the session: it is
    /// `m.room_key` in another form then. (Keys passed on by others are for devices of one's own, and the bot has none.)
    func receivedForwarded(_ payload: OlmPayload, now: Int64) throws -> [CryptoEvent] {
        let told = try ToldKey(payload.content, from: payload.sender)
        guard requests.isOpen(told.name) else { throw Discarded(reason: "a key that wasn't asked for") }
        guard payload.content["sender_key"]?.string == payload.identityKey,
            payload.content["sender_claimed_ed25519_key"]?.string == payload.signingKey,
            payload.content["forwarding_curve25519_key_chain"]?.array?.isEmpty ?? true
        else { throw Discarded(reason: "a key of another device's") }
        guard let session = try? context.driver.inboundGroupSession(exported: told.key), session.id == told.name.session
        else { throw Discarded(reason: "the session key isn't the session's") }
        return try take(session, named: told.name, from: payload, now: now)
    }

    private func take(
        _ session: any InboundGroupSession, named name: GroupSessionName, from payload: OlmPayload, now: Int64
    ) throws -> [CryptoEvent] {
        let known = try sessions.find(name)
        if let known {
            guard known.stored.identityKey == payload.identityKey, known.stored.signingKey == payload.signingKey else {
                throw Discarded(reason: "another device of the sender has this session")
            }
            // Its signature by the session's own key was checked, so it is the same ratchet; only more of it is of use.
            guard session.firstKnownIndex < known.stored.firstIndex else { return [] }
        }
        let isTrusted = payload.device.map { self.isTrusted($0) } ?? false
        let pickle = try olm { () throws(OlmError) in try session.pickle(key: context.pickleKey) }
        let stored = StoredInboundGroupSession(
            name: name, identityKey: payload.identityKey, signingKey: payload.signingKey, pickle: pickle,
            firstIndex: session.firstKnownIndex, received: known?.stored.received ?? now,
            isTrusted: known?.stored.isTrusted ?? false || isTrusted)
        try sessions.keep(InboundSessions.Entry(session: session, stored: stored, highest: known?.highest))
        early.came(name)
        requests.came(name)
        return [.roomKey(session: name.session, room: name.room)]
    }

    /// By what is known of its owner now; a device of somebody unknown is looked at when its first message is read.
    private func isTrusted(_ device: Device) -> Bool {
        guard let user = tracker.user(device.user), tracker.isCurrent([device.user]) else { return false }
        return trust.allows(device, of: user)
    }
}

/// What a room key event says its key is for.
private struct ToldKey {
    let name: GroupSessionName
    let key: String

    init(_ content: JSONValue, from sender: String) throws(Discarded) {
        guard content["algorithm"]?.string == "m.megolm.v1.aes-sha2" else {
            throw Discarded(reason: "unknown algorithm")
        }
        guard let room = content["room_id"]?.string, let session = content["session_id"]?.string,
            let key = content["session_key"]?.string, room.utf8.count <= 255, session.utf8.count <= 64,
            key.utf8.count <= 1_024
        else { throw Discarded(reason: "a room key without room, session or key") }
        name = GroupSessionName(room: room, session: session, sender: sender)
        self.key = key
    }
}
