import JSON
import Libolm
import OpenSSL
import TestSupport

@testable import MatrixCrypto

/// A homeserver as far as one account's identity goes.
final class IdentityServer {
    var deviceKeys: JSONObject?
    var master: JSONObject?
    var selfSigning: JSONObject?
    var userSigning: JSONObject?
    var accountData: [String: JSONValue] = [:]
    /// Names of the calls made, in order.
    var calls: [String] = []
    var wantsPassword = false
    var refusesSignatures = false
    /// Happens while cross-signing keys are uploaded.
    var whenSigning: () -> Void = {}
    /// Another device of the account.
    var otherDevice: ToldPerson?
    /// Devices whose one-time keys were asked for.
    var claimed: [String] = []

    func answer(_ call: CryptoRequest.Call, user: String, device: String) -> Result<JSONValue, Refusal> {
        switch call {
        case .uploadKeys(let body):
            calls.append("upload")
            if let keys = body["device_keys"]?.object { deviceKeys = keys }
            return .success(["one_time_key_counts": ["signed_curve25519": 50]])
        case .queryKeys(let users):
            guard users == [user] else { return .success([:]) }
            calls.append("query")
            func told(_ object: JSONObject?) -> JSONValue {
                guard let object else { return .object(JSONObject()) }
                return .object(JSONObject([.init(user, .object(object))]))
            }
            var devices = deviceKeys.map { JSONObject([.init(device, .object($0))]) }
            for (id, keys) in otherDevice?.devices ?? [:] { devices?[id] = .object(keys) }
            return .success([
                "device_keys": told(devices), "master_keys": told(master), "self_signing_keys": told(selfSigning),
                "user_signing_keys": told(userSigning),
            ])
        case .uploadCrossSigning(let body):
            calls.append("signing")
            whenSigning()
            if wantsPassword { return .failure(Refusal(.needsAuthentication(session: "s", flows: []))) }
            (master, selfSigning, userSigning) = (
                body["master_key"]?.object, body["self_signing_key"]?.object, body["user_signing_key"]?.object
            )
            return .success([:])
        case .uploadSignatures(let body):
            calls.append("signatures")
            if refusesSignatures {
                return .success(["failures": ["@bot:x": ["BOT": ["errcode": "M_INVALID_SIGNATURE", "error": "no"]]]])
            }
            for member in body[user]?.object?.members ?? [] {
                let signatures = member.value["signatures"]?[user]?.object?.members ?? []
                for signature in signatures {
                    let value = signature.value.string!
                    if member.key == device {
                        deviceKeys = SignedJSON.adding(value, by: user, keyID: signature.key, to: deviceKeys!)
                    } else {
                        master = SignedJSON.adding(value, by: user, keyID: signature.key, to: master!)
                    }
                }
            }
            return .success(["failures": [:]])
        case .accountData(let type):
            calls.append("get " + type)
            guard let content = accountData[type] else {
                return .failure(Refusal(.refused(errcode: "M_NOT_FOUND", text: "")))
            }
            return .success(content)
        case .setAccountData(let type, let content):
            calls.append("set " + type)
            accountData[type] = content
            return .success([:])
        case .claimKeys(let wanted):
            claimed += wanted.values.flatMap(\.self)
            return .success([:])
        case .toDevice(let type, _, _):
            calls.append("to " + type)
            return .success([:])
        case .keyChanges: return .success([:])
        }
    }

    struct Refusal: Error {
        let failure: CryptoFailure
        init(_ failure: CryptoFailure) { self.failure = failure }
    }
}

/// The bot's device, killed and started at will.
final class IdentityBench {
    let server: IdentityServer
    let store: MemoryKeyStore
    let device: String
    let recoveryKey: String?
    var machine: OlmMachine
    var now: Int64 = 1_800_000_000_000
    var notices: [CryptoNotice] = []
    var kept: [String] = []

    static let cipher = SecretCipher(
        aes256CTR: { AES256CTR.apply(key: $0, iv: $1, to: $2) }, hmacSHA256: { SHA256.hmac(key: $0, $1) })

    init(
        _ server: IdentityServer, _ store: MemoryKeyStore = MemoryKeyStore(), device: String = "BOT",
        recoveryKey: String? = nil
    ) throws {
        self.server = server
        self.store = store
        self.device = device
        self.recoveryKey = recoveryKey
        let shelf = Shelf()
        self.shelf = shelf
        machine = try OlmMachine(
            userID: "@bot:x", deviceID: device, driver: LibolmDriver(random: randomBytes), store: store,
            pickleKey: [UInt8](repeating: 7, count: 32),
            identity: IdentityEquipment(cipher: Self.cipher, recoveryKey: recoveryKey) { shelf.keys.append($0) },
            random: randomBytes)
    }

    final class Shelf { var keys: [String] = [] }
    let shelf: Shelf

    /// As after a kill: the same store, another process.
    func restarted(recoveryKey: String? = nil) throws -> IdentityBench {
        try IdentityBench(server, store, device: device, recoveryKey: recoveryKey)
    }

    /// Carries calls out until none is left, or so many were; false when it was cut off. `isAnswered` false: the last call
    /// reached the server, and its answer never came.
    @discardableResult
    func run(atMost limit: Int = 200, isAnswered: Bool = true) throws -> Bool {
        var made = 0
        while true {
            let requests = try machine.requests(now: now)
            if requests.isEmpty { return true }
            for request in requests {
                guard made < limit else { return false }
                made += 1
                let result = server.answer(request.call, user: "@bot:x", device: device)
                if made == limit, !isAnswered { return false }
                switch result {
                case .success(let body): note(try machine.answered(request.id, body, now: now))
                case .failure(let refusal): try machine.failed(request.id, refusal.failure, now: now)
                }
            }
        }
    }

    func sync(changed: [String] = []) throws {
        var sync = CryptoSync()
        sync.changed = changed
        sync.oneTimeKeyCounts = ["signed_curve25519": 50]
        sync.nextBatch = "s"
        note(try machine.received(sync, now: now))
    }

    private func note(_ events: [CryptoEvent]) {
        for case .notice(let notice) in events { notices.append(notice) }
    }
}
