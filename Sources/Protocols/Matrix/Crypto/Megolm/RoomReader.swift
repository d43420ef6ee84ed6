import JSON

/// Reads `m.room.encrypted` of rooms.
///
/// A session is looked up by room, session id and the event's sender: nobody's message is read with another's key.
/// `sender_key` and `device_id` outside prove nothing and aren't looked at. Whose device made it is taken from the Olm message
/// that brought the key, and its standing from what is known of the owner's devices.
final class RoomReader {
    /// Messages that wait for somebody's devices to be told; beyond it the rest is told nothing and is read if it comes again.
    private static let limit = 1_000

    private let context: CryptoContext
    private let sessions: InboundSessions
    private let requests: KeyRequests
    private let tracker: DeviceTracker
    private let early: EarlyKeys
    private let trust: DeviceTrust
    private var waiting: Set<GroupSessionName> = []

    init(
        _ context: CryptoContext, sessions: InboundSessions, early: EarlyKeys, requests: KeyRequests,
        tracker: DeviceTracker, trust: DeviceTrust
    ) {
        self.context = context
        self.sessions = sessions
        self.requests = requests
        self.tracker = tracker
        self.early = early
        self.trust = trust
    }

    func decrypt(_ event: EncryptedEvent, in room: String, now: Int64) throws(CryptoError) -> Decryption {
        let content = event.content
        guard content["algorithm"]?.string == "m.megolm.v1.aes-sha2" else {
            return .refused(content.object?.members.isEmpty == true ? "redacted" : "an unknown algorithm")
        }
        guard let id = content["session_id"]?.string, let ciphertext = content["ciphertext"]?.string,
            id.utf8.count <= 64
        else { return .refused("without session or ciphertext") }

        let name = GroupSessionName(room: room, session: id, sender: event.sender)
        guard let entry = try sessions.find(name) else {
            // Whoever writes in a room shares it; what they send is worth a new session if it can't be read.
            tracker.follow([event.sender])
            requests.missed(name, now: now)
            return .missingKey(session: id)
        }
        switch try standing(of: entry) {
        case .unknown:
            tracker.follow([event.sender])
            if waiting.count < Self.limit { waiting.insert(name) }
            return .missingKey(session: id)
        case .refused(let reason): return .refused(reason)
        case .good: break
        }

        let plaintext: GroupPlaintext
        do {
            plaintext = try entry.session.decrypt(ciphertext)
        } catch  where error.reason == .unknownMessageIndex {
            // From before we were given the key: an earlier part of it may still come.
            requests.missed(name, now: now)
            return .missingKey(session: id)
        } catch {
            return .refused("not to be decrypted: \(error.text)")
        }
        if let refusal = try replay(of: plaintext.index, in: event.id, entry) { return .refused(refusal) }
        early.isUsed(name)
        return read(plaintext.bytes, in: room, relation: content["m.relates_to"])
    }

    private enum Standing {
        case good
        case unknown
        case refused(String)
    }

    private func standing(of entry: InboundSessions.Entry) throws(CryptoError) -> Standing {
        let stored = entry.stored
        let isCurrent = tracker.isCurrent([stored.name.sender])
        guard let user = tracker.user(stored.name.sender),
            let device = user.devices.first(where: { $0.curve25519 == stored.identityKey })
        else {
            // Logged out since, or never there.
            if stored.isTrusted { return .good }
            return isCurrent && tracker.user(stored.name.sender) != nil
                ? .refused("from a device that its sender doesn't have") : .unknown
        }
        guard device.ed25519 == stored.signingKey else { return .refused("the sender's keys don't belong together") }
        guard trust.allows(device, of: user) else {
            return isCurrent ? .refused("from a device that its owner hasn't signed") : .unknown
        }
        if !stored.isTrusted {
            var trusted = entry
            trusted.stored = stored.trusted
            try sessions.keep(trusted)
        }
        return .good
    }

    /// Nil when the index is new, or was read in this very event; it is remembered then.
    private func replay(of index: UInt32, in event: String, _ entry: InboundSessions.Entry) throws(CryptoError)
        -> String?
    {
        let name = entry.stored.name
        if let earlier = try sessions.event(at: index, of: name) {
            return earlier == event ? nil : "a repetition of another event"
        }
        if let highest = entry.highest, index < highest, highest - index >= CryptoLimits.replayWindow {
            return "too old to tell it from a repetition"
        }
        sessions.saw(index, in: event, of: name)
        return nil
    }

    private func read(_ bytes: [UInt8], in room: String, relation: JSONValue?) -> Decryption {
        guard let value = try? JSONValue(parsing: bytes), let type = value["type"]?.string,
            var content = value["content"]?.object
        else { return .refused("the plaintext is no event") }
        guard value["room_id"]?.string == room else { return .refused("made for another room") }
        // "it should be ignored and instead favour the cleartext copy (including when there is none)"
        content["m.relates_to"] = relation
        return .clear(type: type, content: .object(content))
    }

    /// Messages that can be read now, since their sender's devices are known.
    func devicesTold() -> [CryptoEvent] {
        guard !waiting.isEmpty else { return [] }
        let ready = waiting.filter { tracker.isCurrent([$0.sender]) }
        waiting.subtract(ready)
        return ready.map { .roomKey(session: $0.session, room: $0.room) }
    }
}

extension StoredInboundGroupSession {
    fileprivate var trusted: Self {
        Self(
            name: name, identityKey: identityKey, signingKey: signingKey, pickle: pickle, firstIndex: firstIndex,
            received: received, isTrusted: true)
    }
}
