import JSON
import Libolm
import OpenSSL

@testable import MatrixCrypto

/// Somebody with cross-signing keys and devices, as a server tells them.
final class ToldPerson {
    let id: String
    let driver = LibolmDriver(random: randomBytes)
    let master: any SigningKey
    let selfSigning: any SigningKey
    private(set) var devices: [String: JSONObject] = [:]
    var masterKeys: JSONObject?
    var selfSigningKeys: JSONObject?

    init(_ id: String, crossSigning: Bool = true) throws {
        self.id = id
        master = try driver.signingKey(seed: randomBytes(32))
        selfSigning = try driver.signingKey(seed: randomBytes(32))
        guard crossSigning else { return }
        masterKeys = key("master", master)
        selfSigningKeys = try sign(key("self_signing", selfSigning), by: master)
    }

    func key(_ usage: String, _ key: any SigningKey) -> JSONObject {
        [
            "user_id": .string(id), "usage": .array([.string(usage)]),
            "keys": .object(JSONObject([.init("ed25519:" + key.publicKey, .string(key.publicKey))])),
        ]
    }

    func sign(_ object: JSONObject, by key: any SigningKey) throws -> JSONObject {
        let signature = try key.sign(SignedJSON.bytes(object)!)
        return SignedJSON.adding(signature, by: id, keyID: "ed25519:" + key.publicKey, to: object)
    }

    @discardableResult
    func add(
        _ device: String, account: (any OlmAccount)? = nil, signed: Bool = true,
        change: (inout JSONObject) -> Void = { _ in }
    ) throws -> any OlmAccount {
        let account = try account ?? driver.makeAccount()
        var object: JSONObject = [
            "user_id": .string(id), "device_id": .string(device),
            "algorithms": ["m.olm.v1.curve25519-aes-sha2", "m.megolm.v1.aes-sha2"],
            "keys": .object(
                JSONObject([
                    .init("curve25519:" + device, .string(account.identityKeys.curve25519)),
                    .init("ed25519:" + device, .string(account.identityKeys.ed25519)),
                ])),
        ]
        change(&object)
        let signature = try account.sign(SignedJSON.bytes(object)!)
        object = SignedJSON.adding(signature, by: id, keyID: "ed25519:" + device, to: object)
        devices[device] = signed ? try sign(object, by: selfSigning) : object
        return account
    }

    func remove(_ device: String) { devices[device] = nil }
    func tamper(_ device: String, _ change: (inout JSONObject) -> Void) { change(&devices[device]!) }

    static func answer(_ people: [ToldPerson], failures: [String] = []) -> JSONValue {
        func all(_ part: (ToldPerson) -> JSONObject?) -> JSONValue {
            .object(JSONObject(people.compactMap { person in part(person).map { .init(person.id, .object($0)) } }))
        }
        return [
            "device_keys": all { JSONObject($0.devices.map { .init($0.key, .object($0.value)) }) },
            "master_keys": all(\.masterKeys), "self_signing_keys": all(\.selfSigningKeys),
            "failures": .object(JSONObject(failures.map { .init($0, .object(JSONObject())) })),
        ]
    }
}
