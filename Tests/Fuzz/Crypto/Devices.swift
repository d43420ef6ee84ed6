import JSON
import Libolm
import MatrixCrypto
import OpenSSL

let own = "@gifbot:example.test"
let ada = "@ada:example.test"
let room = "!room:example.test"
let now: Int64 = 1_800_000_000_000

/// Fit for nothing but this: the same numbers each time, so that what is found can be found again.
final class Numbers {
    private var state: UInt64

    init(_ seed: UInt64 = 0x9E37_79B9_7F4A_7C15) { state = seed }

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }
}

/// The machine under test, as after a start for each input, and somebody whose device is driven by hand.
final class Devices {
    /// Both as they are kept between two runs: accounts with all their keys are made once, which takes a thousand times as long
    /// as an input.
    private struct Kept {
        let content: MemoryKeyStore.Content
        let account: [UInt8]
        let session: [UInt8]
    }

    private static let pickleKey = [UInt8](repeating: 7, count: 32)
    // libFuzzer has one thread.
    nonisolated(unsafe) private static let strangers = kept { _ in }
    nonisolated(unsafe) private static let acquainted = kept { try $0.introduceAda() }

    let store: MemoryKeyStore
    let machine: OlmMachine
    private let driver: LibolmDriver
    private let account: any OlmAccount
    private let gifbotKeys: IdentityKeys
    private let session: any OlmSession

    /// Whether the machine knows Ada's device.
    convenience init(knowingAda: Bool) throws {
        let kept = knowingAda ? Self.acquainted : Self.strangers
        let driver = LibolmDriver(random: Numbers(0xD1B5_4A32_D192_ED03).bytes)
        let store = MemoryKeyStore(kept.content)
        self.init(
            store: store, machine: try Self.machine(store, driver), driver: driver,
            account: try driver.account(from: kept.account, key: Self.pickleKey),
            session: try driver.session(from: kept.session, key: Self.pickleKey))
    }

    private init(
        store: MemoryKeyStore, machine: OlmMachine, driver: LibolmDriver, account: any OlmAccount,
        session: any OlmSession
    ) {
        self.store = store
        self.machine = machine
        self.driver = driver
        self.account = account
        self.session = session
        gifbotKeys = machine.identityKeys
    }

    private static func machine(_ store: MemoryKeyStore, _ driver: LibolmDriver) throws -> OlmMachine {
        let identity = IdentityEquipment(
            cipher: SecretCipher(
                aes256CTR: { AES256CTR.apply(key: $0, iv: $1, to: $2) }, hmacSHA256: { SHA256.hmac(key: $0, $1) }),
            recoveryKey: nil, keepRecoveryKey: { _ in })
        return try OlmMachine(
            userID: own, deviceID: "GIFBOT", driver: driver, store: store, pickleKey: pickleKey, identity: identity,
            random: Numbers().bytes)
    }

    private static func kept(_ prepare: (Devices) throws -> Void) -> Kept {
        do {
            let driver = LibolmDriver(random: Numbers().bytes)
            let store = MemoryKeyStore()
            let machine = try machine(store, driver)
            let account = try driver.makeAccount()
            let session = try account.outboundSession(
                with: machine.identityKeys.curve25519, oneTimeKey: try oneTimeKey(of: machine))
            let devices = Devices(store: store, machine: machine, driver: driver, account: account, session: session)
            try prepare(devices)
            return Kept(
                content: store.content, account: try account.pickle(key: pickleKey),
                session: try session.pickle(key: pickleKey))
        } catch {
            fatalError("no devices: \(error)")
        }
    }

    /// One of those that it uploads; the server has none for this device before.
    private static func oneTimeKey(of machine: OlmMachine) throws -> String {
        var found = ""
        for _ in 0..<4 {
            for request in try machine.requests(now: now) {
                if case .uploadKeys(let body) = request.call, let keys = body["one_time_keys"]?.object {
                    found = keys.members.first?.value["key"]?.string ?? ""
                    _ = try machine.answered(
                        request.id, ["one_time_key_counts": ["signed_curve25519": 50]], now: now)
                } else {
                    _ = try machine.answered(
                        request.id, ["device_keys": .object(JSONObject([JSONObject.Member(own, [:])]))], now: now)
                }
            }
        }
        return found
    }

    /// Ada's device, signed by itself.
    func adasKeys() throws -> JSONValue {
        let keys = account.identityKeys
        var object: JSONObject = [
            "user_id": .string(ada), "device_id": "ADA",
            "algorithms": ["m.olm.v1.curve25519-aes-sha2", "m.megolm.v1.aes-sha2"],
            "keys": ["curve25519:ADA": .string(keys.curve25519), "ed25519:ADA": .string(keys.ed25519)],
        ]
        let signature = try account.sign(try JSONWriter.canonical(.object(object)))
        object["signatures"] = .object(
            JSONObject([JSONObject.Member(ada, ["ed25519:ADA": .string(signature)])]))
        return .object(object)
    }

    /// The machine learns Ada's device as from a server, because she writes in a room: who only verifies isn't kept.
    private func introduceAda() throws {
        let written = EncryptedEvent(
            id: "$ada", sender: ada,
            content: ["algorithm": "m.megolm.v1.aes-sha2", "session_id": "s", "ciphertext": "AwgA"])
        _ = try machine.decrypt(written, in: room, now: now)
        for _ in 0..<3 {
            for request in try machine.requests(now: now) {
                let body: JSONValue = [
                    "device_keys": .object(JSONObject([JSONObject.Member(ada, ["ADA": try adasKeys()])]))
                ]
                _ = try machine.answered(request.id, body, now: now)
            }
        }
    }

    /// Through Ada's session.
    func letter(_ plaintext: [UInt8]) throws -> ToDeviceEvent {
        let message = try session.encrypt(plaintext)
        return ToDeviceEvent(
            type: "m.room.encrypted", sender: ada,
            content: [
                "algorithm": "m.olm.v1.curve25519-aes-sha2", "sender_key": .string(account.identityKeys.curve25519),
                "ciphertext": .object(
                    JSONObject([
                        JSONObject.Member(
                            gifbotKeys.curve25519,
                            ["type": .integer(Int64(message.type)), "body": .string(message.body)])
                    ])),
            ])
    }

    /// As the specification has them.
    func letter(type: String, _ content: JSONValue) throws -> ToDeviceEvent {
        try letter(
            JSONWriter.canonical([
                "type": .string(type), "content": content, "sender": .string(ada), "recipient": .string(own),
                "recipient_keys": ["ed25519": .string(gifbotKeys.ed25519)],
                "keys": ["ed25519": .string(account.identityKeys.ed25519)],
                "sender_device_keys": try adasKeys(),
            ]))
    }

    func makeSession() throws -> any OutboundGroupSession { try driver.makeOutboundGroupSession() }

    func envelope(_ ciphertext: String, of session: any OutboundGroupSession) -> EncryptedEvent {
        EncryptedEvent(
            id: "$1", sender: ada,
            content: [
                "algorithm": "m.megolm.v1.aes-sha2", "ciphertext": .string(ciphertext),
                "session_id": .string(session.id), "sender_key": .string(account.identityKeys.curve25519),
                "device_id": "ADA",
            ])
    }

    func received(_ events: [ToDeviceEvent]) throws -> [CryptoEvent] {
        var sync = CryptoSync()
        sync.toDevice = events
        sync.oneTimeKeyCounts = ["signed_curve25519": 50]
        sync.nextBatch = "s1"
        return try machine.received(sync, now: now)
    }
}
