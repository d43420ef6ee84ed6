import JSON

/// Reads the to-device events of a sync.
final class ToDeviceReader {
    private let context: CryptoContext
    private let account: OwnAccount
    private let sessions: OlmSessions
    private let tracker: DeviceTracker
    private let unwedging: Unwedging
    private let roomKeys: RoomKeys
    private let keyRequests: KeyRequests
    private var seen: SeenMessages

    init(
        _ context: CryptoContext, account: OwnAccount, sessions: OlmSessions, tracker: DeviceTracker,
        unwedging: Unwedging, roomKeys: RoomKeys, keyRequests: KeyRequests
    ) throws(CryptoError) {
        self.context = context
        self.account = account
        self.sessions = sessions
        self.tracker = tracker
        self.unwedging = unwedging
        self.roomKeys = roomKeys
        self.keyRequests = keyRequests
        seen = SeenMessages(stored: try context.value(of: SeenMessages.name))
    }

    func read(_ event: ToDeviceEvent, now: Int64) throws(CryptoError) -> [CryptoEvent] {
        do {
            guard event.type == "m.room.encrypted" else { return try plain(event, now: now) }
            guard let payload = try decrypt(event, now: now) else { return [] }
            return try encrypted(payload, now: now)
        } catch let error as CryptoError {
            throw error
        } catch let error as Discarded {
            return [.discarded(type: event.type, sender: event.sender, reason: error.reason)]
        } catch {
            return []
        }
    }

    func flush() {
        if seen.isChanged { context.changes.values[SeenMessages.name] = .some(seen.stored()) }
    }

    /// Nil for one that was read before.
    private func decrypt(_ event: ToDeviceEvent, now: Int64) throws -> OlmPayload? {
        let content = event.content
        guard content["algorithm"]?.string == "m.olm.v1.curve25519-aes-sha2" else {
            throw Discarded(reason: "unknown algorithm")
        }
        guard let senderKey = CheckedDevice.key(content["sender_key"]),
            let part = content["ciphertext"]?[account.identityKeys.curve25519],
            let type = part["type"]?.integer, type == 0 || type == 1, let body = part["body"]?.string
        else { throw Discarded(reason: "not for this device") }
        guard senderKey != account.identityKeys.curve25519 else { throw Discarded(reason: "made by ourselves") }
        let message = OlmMessage(type: Int(type), body: body)
        guard !seen.contains(message, from: senderKey) else { return nil }

        guard
            let plaintext = try sessions.open(
                message, from: SessionPeer(user: event.sender, identityKey: senderKey), account: account, now: now)
        else {
            try unwedging.couldNotRead(from: event.sender, identityKey: senderKey, now: now)
            throw Discarded(reason: "no session reads it")
        }
        seen.insert(message, from: senderKey)
        return try OlmPayload.read(
            plaintext, from: event.sender, identityKey: senderKey, own: account, userID: context.userID,
            tracker: tracker)
    }

    private func encrypted(_ payload: OlmPayload, now: Int64) throws -> [CryptoEvent] {
        switch payload.type {
        case "m.room_key": return try roomKeys.received(payload, now: now)
        case "m.forwarded_room_key": return try roomKeys.receivedForwarded(payload, now: now)
        case let type where type.hasPrefix("m.key.verification."):
            return [.verification(ToDeviceEvent(type: type, sender: payload.sender, content: payload.content))]
        default: return []
        }
    }

    private func plain(_ event: ToDeviceEvent, now: Int64) throws -> [CryptoEvent] {
        switch event.type {
        case "m.room_key", "m.forwarded_room_key", "m.secret.send", "m.dummy":
            throw Discarded(reason: "it has to be encrypted")
        case "m.room_key.withheld": return try withheld(event, now: now)
        case let type where type.hasPrefix("m.key.verification."): return [.verification(event)]
        // Requests of others for keys among them: the bot gives none.
        default: return []
        }
    }

    private func withheld(_ event: ToDeviceEvent, now: Int64) throws -> [CryptoEvent] {
        let content = event.content
        guard let code = content["code"]?.string else { throw Discarded(reason: "without a code") }
        if code == "m.no_olm" {
            if let senderKey = content["sender_key"]?.string {
                try unwedging.couldNotRead(from: event.sender, identityKey: senderKey, now: now)
            }
            return []
        }
        guard let room = content["room_id"]?.string, let session = content["session_id"]?.string else {
            throw Discarded(reason: "for no session")
        }
        let name = GroupSessionName(room: room, session: session, sender: event.sender)
        guard !keyRequests.isOthers(name) else { throw Discarded(reason: "for another sender's session") }
        keyRequests.withheld(name)
        return [.withheld(session: session, room: room, sender: event.sender, code: String(code.prefix(64)))]
    }
}
