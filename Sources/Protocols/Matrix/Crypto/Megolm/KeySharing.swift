import JSON

/// Gives the key of our session in a room to everybody who may read there, a batch of devices at a time; tells the others
/// once that they won't get it.
final class KeySharing: CryptoPart {
    /// Calls under way for one room.
    private static let callsAtOnce = 8
    static let devicesInCall = 100
    /// So that what a remote server gets of it in one piece stays below the size of an event.
    static let bytesInCall = 56_000

    private let context: CryptoContext
    private let account: OwnAccount
    private let tracker: DeviceTracker
    private let sessions: OutboundSessions
    private let olmSessions: OlmSessions
    private let writer: OlmWriter
    private let starter: SessionStarter
    private let trust: DeviceTrust
    /// Rooms with something to give out.
    private var busy: Set<String> = []
    private var rooms: [UInt64: String] = [:]

    init(
        _ context: CryptoContext, account: OwnAccount, tracker: DeviceTracker, sessions: OutboundSessions,
        olmSessions: OlmSessions, writer: OlmWriter, starter: SessionStarter, trust: DeviceTrust
    ) {
        self.context = context
        self.account = account
        self.tracker = tracker
        self.sessions = sessions
        self.olmSessions = olmSessions
        self.writer = writer
        self.starter = starter
        self.trust = trust
    }

    func prepare(_ audience: RoomAudience, _ settings: RoomEncryption, now: Int64) throws(CryptoError) -> RoomReadiness
    {
        if let known = sessions[audience.room], let ready = known.ready, isStillReady(ready, for: audience, now: now),
            !Rotation.isDue(known, settings, audience: audience, now: now)
        {
            return .ready
        }
        let users = Array(Set(audience.joined).union(audience.invited).union([context.userID]))
        tracker.follow(users)
        guard tracker.isCurrent(users) else { return .waiting }

        let (readers, others) = devices(of: users)
        var room = try sessions.find(audience.room)
        if let known = room {
            let names = Set(readers.map { SessionRecipient($0, isWithheld: false) })
            if Rotation.isDue(known, settings, audience: audience, now: now) || Rotation.hasLeavers(known, among: names)
            {
                room = nil
            }
        }
        var known: OutboundRoom
        if let room { known = room } else { known = try sessions.make(audience, now: now) }
        known.keepWaiting(readers)
        let retryAt = share(&known, with: readers, now: now)
        try withhold(&known, from: others)
        known.ready =
            known.isSharing
            ? nil : OutboundRoom.Ready(audience: audience, generation: tracker.generation, until: retryAt)
        sessions[audience.room] = known
        if !known.waiting.isEmpty { busy.insert(audience.room) }
        return known.isSharing ? .waiting : .ready
    }

    private func isStillReady(_ ready: OutboundRoom.Ready, for audience: RoomAudience, now: Int64) -> Bool {
        ready.generation == tracker.generation && tracker.isCurrent([]) && (ready.until.map { now < $0 } ?? true)
            && ready.audience == audience
    }

    /// Everybody's devices but this one: those that get the key, and those that don't.
    private func devices(of users: [String]) -> (readers: [Device], others: [Device]) {
        var readers: [Device] = []
        var others: [Device] = []
        for id in users {
            guard let user = tracker.user(id) else { continue }
            for device in user.devices.prefix(CryptoLimits.devicesOfUser) {
                guard device.algorithms.contains("m.megolm.v1.aes-sha2"),
                    device.curve25519 != account.identityKeys.curve25519
                else { continue }
                let isReader = trust.allows(device, of: user) && !tracker.isDoubtful(device)
                if isReader { readers.append(device) } else { others.append(device) }
            }
        }
        return (readers, others)
    }

    /// Puts those who lack the key into `waiting`; when one who can't be reached is to be tried again.
    private func share(_ room: inout OutboundRoom, with readers: [Device], now: Int64) -> Int64? {
        var retryAt: Int64?
        let served = room.mayRead
        for device in readers where room.waiting[SessionPeer(device)] == nil {
            guard !served.contains(SessionRecipient(device, isWithheld: false)) else { continue }
            if let until = starter.unreachable(SessionPeer(device), now: now) {
                retryAt = min(retryAt ?? until, until)
            } else {
                room.waiting[SessionPeer(device)] = device
            }
        }
        return retryAt
    }

    private func withhold(_ room: inout OutboundRoom, from others: [Device]) throws(CryptoError) {
        let onTheirWay = room.inFlight.values.joined().filter(\.isWithheld)
        let told = room.told.union(onTheirWay)
        let new = others.map { ($0, SessionRecipient($0, isWithheld: true)) }.filter { !told.contains($0.1) }
        var start = 0
        while start < new.count {
            let some = new[start..<min(start + Self.devicesInCall, new.count)]
            start += some.count
            let content: JSONValue = [
                "algorithm": "m.megolm.v1.aes-sha2", "code": "m.unverified",
                "room_id": .string(room.stored.room), "session_id": .string(room.stored.id),
                "sender_key": .string(account.identityKeys.curve25519),
                "reason": "The device is not verified by its owner.",
            ]
            let messages = ToDeviceOutbox.messages(
                some.map { (device: DeviceName(user: $0.0.user, device: $0.0.id), content: content) })
            send(&room, "m.room_key.withheld", messages, to: some.map(\.1))
        }
    }

    private func send(
        _ room: inout OutboundRoom, _ type: String, _ messages: JSONValue, to recipients: [SessionRecipient]
    ) {
        let id = context.calls.add(
            .toDevice(type: type, transaction: context.randomName(), messages: messages), for: self)
        if recipients.first?.isWithheld == false, !room.isUncertain { sessions.markSharing(room.stored.room, true) }
        room.inFlight[id] = recipients
        rooms[id] = room.stored.room
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        var failure: CryptoError?
        for name in busy {
            guard var room = sessions[name] else {
                busy.remove(name)
                continue
            }
            // What was sent before an error is on its way, and one room's error is not another's.
            failure = giveOut(&room, now: now) ?? failure
            if room.waiting.isEmpty { busy.remove(name) }
            sessions[name] = room
        }
        if let failure { throw failure }
    }

    /// Nil, or what kept some of it back.
    private func giveOut(_ room: inout OutboundRoom, now: Int64) -> CryptoError? {
        var failure: CryptoError?
        var batch: [(device: DeviceName, content: JSONValue)] = []
        var recipients: [SessionRecipient] = []
        var bytes = 0
        let sessionKey: String
        do throws(OlmError) { sessionKey = try room.session.sessionKey() } catch { return .olm(error) }
        let content: JSONValue = [
            "algorithm": "m.megolm.v1.aes-sha2", "room_id": .string(room.stored.room),
            "session_id": .string(room.stored.id), "session_key": .string(sessionKey),
        ]
        for (peer, device) in room.waiting {
            guard room.inFlight.count - room.delayed.count < Self.callsAtOnce else { break }
            if starter.isPending(peer) { continue }
            if starter.unreachable(peer, now: now) != nil {
                room.waiting[peer] = nil
                continue
            }
            let sealed: JSONValue
            do throws(CryptoError) {
                guard let made = try writer.encrypt(type: "m.room_key", content: content, for: device) else {
                    starter.want(device)
                    continue
                }
                sealed = made
            } catch {
                failure = error
                continue
            }
            room.waiting[peer] = nil
            batch.append((device: DeviceName(user: device.user, device: device.id), content: sealed))
            recipients.append(SessionRecipient(device, isWithheld: false))
            bytes += sealed.roughSize
            if batch.count >= Self.devicesInCall || bytes >= Self.bytesInCall {
                send(&room, "m.room.encrypted", ToDeviceOutbox.messages(batch), to: recipients)
                (batch, recipients, bytes) = ([], [], 0)
            }
        }
        if !batch.isEmpty { send(&room, "m.room.encrypted", ToDeviceOutbox.messages(batch), to: recipients) }
        return failure
    }

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    {
        guard let name = rooms.removeValue(forKey: id), var room = sessions[name],
            let recipients = room.inFlight.removeValue(forKey: id)
        else { return [] }
        room.delayed.remove(id)
        for recipient in recipients {
            if recipient.isWithheld { room.told.insert(recipient) } else { room.given.insert(recipient) }
        }
        context.changes.recipients[room.stored.id, default: []].formUnion(recipients)
        if recipients.first?.isWithheld == false, !room.isUncertain { sessions.markSharing(name, false) }
        sessions[name] = room
        return []
    }

    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        guard let name = rooms.removeValue(forKey: id), var room = sessions[name],
            let recipients = room.inFlight.removeValue(forKey: id)
        else { return }
        room.delayed.remove(id)
        // Not tried again for a while; the message goes to the others.
        for recipient in recipients where !recipient.isWithheld { starter.giveUp(SessionPeer(recipient), now: now) }
        sessions[name] = room
    }

    /// The message goes to the others meanwhile. The call stays as it is: who of them has the key already, nobody knows.
    func delayed(_ id: UInt64, now: Int64) {
        guard let name = rooms[id], sessions[name]?.inFlight[id] != nil else { return }
        sessions[name]?.delayed.insert(id)
    }

    var nextDeadline: Int64? { nil }
}

extension JSONValue {
    /// About as many bytes as it takes.
    fileprivate var roughSize: Int {
        switch self {
        case .null, .bool, .integer, .number: 8
        case .string(let text): text.utf8.count + 3
        case .array(let values): values.reduce(2) { $0 + $1.roughSize + 1 }
        case .object(let object): object.members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.roughSize }
        }
    }
}
