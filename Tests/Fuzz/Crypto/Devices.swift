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
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }
}

/// The machine under test, fresh for each input, and somebody whose device is driven by hand.
final class Devices {
    let store = MemoryKeyStore()
    let machine: OlmMachine
    private let driver: LibolmDriver
    private let account: any OlmAccount
    private let gifbotKeys: IdentityKeys
    private let session: any OlmSession

    init() throws {
        let numbers = Numbers()
        driver = LibolmDriver(random: numbers.bytes)
        let identity = IdentityEquipment(
            cipher: SecretCipher(
                aes256CTR: { AES256CTR.apply(key: $0, iv: $1, to: $2) }, hmacSHA256: { SHA256.hmac(key: $0, $1) }),
            recoveryKey: nil, keepRecoveryKey: { _ in })
        machine = try OlmMachine(
            userID: own, deviceID: "GIFBOT", driver: driver, store: store,
            pickleKey: [UInt8](repeating: 7, count: 32), identity: identity, random: numbers.bytes)
        account = try driver.makeAccount()
        gifbotKeys = machine.identityKeys
        var oneTimeKey = ""
        // Until the keys are uploaded: the server has none for this device.
        for _ in 0..<4 {
            for request in try machine.requests(now: now) {
                if case .uploadKeys(let body) = request.call, let keys = body["one_time_keys"]?.object {
                    oneTimeKey = keys.members.first?.value["key"]?.string ?? ""
                    _ = try machine.answered(
                        request.id, ["one_time_key_counts": ["signed_curve25519": 50]], now: now)
                } else {
                    _ = try machine.answered(
                        request.id, ["device_keys": .object(JSONObject([JSONObject.Member(own, [:])]))], now: now)
                }
            }
        }
        session = try account.outboundSession(with: gifbotKeys.curve25519, oneTimeKey: oneTimeKey)
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

    /// The machine learns Ada's device as from a server.
    func introduceAda() throws {
        try machine.follow([ada])
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
