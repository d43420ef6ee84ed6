import JSON

/// Claims one-time keys and begins Olm sessions with them.
final class SessionStarter: CryptoPart {
    /// Devices in one `POST /keys/claim`.
    private static let batch = 200
    /// After this a device without keys is asked for again.
    static let patience: Int64 = 600_000
    /// Nor while the call that asks for its key fails over and over.
    static let shortPatience: Int64 = 60_000
    private static let rememberedDevices = 20_000
    /// Calls under way; beyond them a batch that fails isn't taken apart.
    private static let mostCalls = 16

    private struct Wish {
        let device: Device
        /// Also when there is a session.
        var isForced: Bool
    }

    private let context: CryptoContext
    private let account: OwnAccount
    private let sessions: OlmSessions
    private let toDevice: ToDeviceOutbox
    private var wishes: [SessionPeer: Wish] = [:]
    private var claiming: [UInt64: [Device]] = [:]
    private var pending: Set<SessionPeer> = []
    /// In a call that has failed for long: nobody waits for them.
    private var delayed: Set<SessionPeer> = []
    private var unreachable: [SessionPeer: Int64] = [:]
    private var told: NoOlmNotices

    init(_ context: CryptoContext, _ account: OwnAccount, _ sessions: OlmSessions, _ toDevice: ToDeviceOutbox)
        throws(CryptoError)
    {
        self.context = context
        self.account = account
        self.sessions = sessions
        self.toDevice = toDevice
        told = NoOlmNotices(stored: try context.value(of: NoOlmNotices.name))
    }

    /// A session is wanted; with `isForced` a new one.
    func want(_ device: Device, isForced: Bool = false) {
        let peer = SessionPeer(device)
        guard !delayed.contains(peer), pending.insert(peer).inserted else { return }
        wishes[peer] = Wish(device: device, isForced: isForced)
    }

    /// Neither begun nor given up.
    func isPending(_ peer: SessionPeer) -> Bool { pending.contains(peer) }

    /// When a device that had no key may be asked for again; nil when it may be now.
    func unreachable(_ peer: SessionPeer, now: Int64) -> Int64? {
        if delayed.contains(peer) { return now + Self.shortPatience }
        guard let until = unreachable[peer] else { return nil }
        return until > now ? until : nil
    }

    /// It isn't asked for again for a while.
    func giveUp(_ peer: SessionPeer, now: Int64) {
        if unreachable.count >= Self.rememberedDevices { unreachable = unreachable.filter { $0.value > now } }
        if unreachable.count >= Self.rememberedDevices { _ = unreachable.popFirst() }
        unreachable[peer] = now + Self.patience
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        while !wishes.isEmpty {
            let some = Array(wishes.prefix(Self.batch))
            var devices: [Device] = []
            var served: [SessionPeer] = []
            // Reading may fail: until all is read nothing is changed, or the rest would wait for ever.
            for (peer, wish) in some {
                if try sessions.has(peer), !wish.isForced { served.append(peer) } else { devices.append(wish.device) }
            }
            for (peer, _) in some { wishes[peer] = nil }
            pending.subtract(served)
            if !devices.isEmpty { claim(devices) }
        }
    }

    private func claim(_ devices: [Device]) {
        let ofUser = Dictionary(grouping: devices, by: \.user).mapValues { $0.map(\.id) }
        claiming[context.calls.add(.claimKeys(ofUser), for: self)] = devices
    }

    /// The rooms go on without these devices. One of them may be what the server stumbles over: halves find out which.
    func delayed(_ id: UInt64, now: Int64) {
        guard let devices = claiming[id] else { return }
        let peers = devices.map { SessionPeer($0) }
        pending.subtract(peers)
        delayed.formUnion(peers)
        guard devices.count > 1, claiming.count < Self.mostCalls else { return }
        claiming[id] = nil
        context.calls.finish(id)
        claim(Array(devices[..<(devices.count / 2)]))
        claim(Array(devices[(devices.count / 2)...]))
    }

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    {
        let devices = claiming[id] ?? []
        for device in devices { _ = try sessions.has(SessionPeer(device)) }
        claiming[id] = nil
        for device in devices {
            let peer = SessionPeer(device)
            pending.remove(peer)
            delayed.remove(peer)
            let given = body["one_time_keys"]?[device.user]?[device.id]
            if let key = Self.key(in: given, of: device, driver: context.driver),
                let session = try? account.keys.outboundSession(with: device.curve25519, oneTimeKey: key)
            {
                try sessions.keep(session, with: peer, now: now)
                unreachable[peer] = nil
                if told.remove(peer) { context.changes.values[NoOlmNotices.name] = .some(told.stored) }
            } else {
                giveUp(peer, now: now)
                // A server that didn't answer says nothing of its devices.
                let server = device.user.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
                if body["failures"]?[server] == nil { tellNoOlm(device) }
            }
        }
        return []
    }

    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        for device in claiming.removeValue(forKey: id) ?? [] {
            let peer = SessionPeer(device)
            pending.remove(peer)
            delayed.remove(peer)
            giveUp(peer, now: now)
        }
    }

    /// Once, until there was a session ("Reporting that decryption keys are withheld").
    private func tellNoOlm(_ device: Device) {
        guard told.insert(SessionPeer(device)) else { return }
        context.changes.values[NoOlmNotices.name] = .some(told.stored)
        let content: JSONValue = [
            "algorithm": "m.megolm.v1.aes-sha2", "code": "m.no_olm",
            "sender_key": .string(account.identityKeys.curve25519),
            "reason": "Unable to establish a secure channel.",
        ]
        toDevice.send("m.room_key.withheld", content, to: [DeviceName(user: device.user, device: device.id)])
    }

    /// A claimed key that the device signed.
    static func key(in given: JSONValue?, of device: Device, driver: any OlmDriver) -> String? {
        guard let given = given?.object else { return nil }
        for member in given.members.prefix(4) where member.key.hasPrefix(KeyUpload.algorithm + ":") {
            guard let object = member.value.object, let key = object["key"]?.string,
                SignedJSON.isSigned(
                    object, by: device.user, keyID: "ed25519:" + device.id, key: device.ed25519, driver: driver)
            else { continue }
            return key
        }
        return nil
    }

    var nextDeadline: Int64? { nil }
}

/// Devices that were told `m.no_olm`; at the bound those told first go, and may be told again.
struct NoOlmNotices {
    static let limit = 1_000
    static let name = "olm.none"
    private var keys: [String]

    init(stored bytes: [UInt8]?) {
        keys = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").suffix(Self.limit).map(String.init)
    }

    /// False when it was told before.
    mutating func insert(_ peer: SessionPeer) -> Bool {
        guard !keys.contains(peer.name) else { return false }
        keys.append(peer.name)
        if keys.count > Self.limit { keys.removeFirst() }
        return true
    }

    mutating func remove(_ peer: SessionPeer) -> Bool {
        guard let index = keys.firstIndex(of: peer.name) else { return false }
        keys.remove(at: index)
        return true
    }

    var stored: [UInt8] { Array(keys.joined(separator: "\n").utf8) }
}
