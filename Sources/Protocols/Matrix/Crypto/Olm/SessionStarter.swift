import JSON

/// Claims one-time keys and begins Olm sessions with them.
final class SessionStarter: CryptoPart {
    /// Devices in one `POST /keys/claim`.
    private static let batch = 200
    /// After this a device without keys is asked for again.
    static let patience: Int64 = 600_000
    private static let rememberedDevices = 20_000

    private struct Wish {
        let device: Device
        /// Also when there is a session.
        var isForced: Bool
    }

    private let context: CryptoContext
    private let account: OwnAccount
    private let sessions: OlmSessions
    private let toDevice: ToDeviceOutbox
    /// By Curve25519 key.
    private var wishes: [String: Wish] = [:]
    private var claiming: [UInt64: [Device]] = [:]
    private var pending: Set<String> = []
    private var unreachable: [String: Int64] = [:]
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
        guard !pending.contains(device.curve25519) else { return }
        wishes[device.curve25519, default: Wish(device: device, isForced: isForced)].isForced = isForced
        pending.insert(device.curve25519)
    }

    /// Neither begun nor given up.
    func isPending(_ identityKey: String) -> Bool { pending.contains(identityKey) }

    /// When a device that had no key may be asked for again; nil when it may be now.
    func unreachable(_ identityKey: String, now: Int64) -> Int64? {
        guard let until = unreachable[identityKey] else { return nil }
        return until > now ? until : nil
    }

    /// It isn't asked for again for a while.
    func giveUp(_ identityKey: String, now: Int64) {
        if unreachable.count >= Self.rememberedDevices { unreachable = unreachable.filter { $0.value > now } }
        if unreachable.count < Self.rememberedDevices { unreachable[identityKey] = now + Self.patience }
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        while !wishes.isEmpty {
            let some = wishes.values.prefix(Self.batch)
            for wish in some { wishes[wish.device.curve25519] = nil }
            var devices: [Device] = []
            for wish in some {
                let hasSession = try sessions.has(wish.device.curve25519)
                if hasSession, !wish.isForced {
                    pending.remove(wish.device.curve25519)
                } else {
                    devices.append(wish.device)
                }
            }
            guard !devices.isEmpty else { continue }
            let ofUser = Dictionary(grouping: devices, by: \.user).mapValues { $0.map(\.id) }
            claiming[context.calls.add(.claimKeys(ofUser), for: self)] = devices
        }
    }

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    {
        for device in claiming.removeValue(forKey: id) ?? [] {
            pending.remove(device.curve25519)
            let given = body["one_time_keys"]?[device.user]?[device.id]
            if let key = Self.key(in: given, of: device, driver: context.driver),
                let session = try? account.keys.outboundSession(with: device.curve25519, oneTimeKey: key)
            {
                try sessions.keep(session, with: device.curve25519, now: now)
                unreachable[device.curve25519] = nil
                if told.remove(device) { context.changes.values[NoOlmNotices.name] = .some(told.stored) }
            } else {
                giveUp(device.curve25519, now: now)
                // A server that didn't answer says nothing of its devices.
                let server = device.user.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
                if body["failures"]?[server] == nil { tellNoOlm(device) }
            }
        }
        return []
    }

    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        for device in claiming.removeValue(forKey: id) ?? [] {
            pending.remove(device.curve25519)
            giveUp(device.curve25519, now: now)
        }
    }

    /// Once, until there was a session ("Reporting that decryption keys are withheld").
    private func tellNoOlm(_ device: Device) {
        guard told.insert(device) else { return }
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

/// Devices that were told `m.no_olm`; at the bound nobody else is told.
struct NoOlmNotices {
    static let limit = 1_000
    static let name = "olm.none"
    private var keys: Set<String>

    init(stored bytes: [UInt8]?) {
        keys = Set(
            String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").prefix(Self.limit).map(String.init))
    }

    /// False when it was told before, or can't be remembered.
    mutating func insert(_ device: Device) -> Bool {
        keys.count < Self.limit && keys.insert(device.curve25519).inserted
    }

    mutating func remove(_ device: Device) -> Bool { keys.remove(device.curve25519) != nil }

    var stored: [UInt8] { Array(keys.sorted().joined(separator: "\n").utf8) }
}
