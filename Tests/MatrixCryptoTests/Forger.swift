import JSON
import Libolm
@testable import MatrixCrypto
import Testing

/// A device that writes whatever the test wants, by the library alone.
final class Forger {
    let user: String
    let id: String
    let account: any OlmAccount
    let server: StandInServer
    private var session: (any OlmSession)?

    init(_ user: String, _ id: String, on server: StandInServer) throws {
        self.user = user
        self.id = id
        self.server = server
        account = try libolm().makeAccount()
        server.logIn(user, id)
        server.devices[user]?[id]?.keys = try deviceKeys()
        server.changed(user)
    }

    func deviceKeys(
        user other: String? = nil, curve25519: String? = nil, ed25519: String? = nil, isSigned: Bool = true
    ) throws -> JSONObject {
        let object: JSONObject = [
            "user_id": .string(other ?? user), "device_id": .string(id),
            "algorithms": ["m.olm.v1.curve25519-aes-sha2", "m.megolm.v1.aes-sha2"],
            "keys": .object(
                JSONObject([
                    .init("ed25519:" + id, .string(ed25519 ?? account.identityKeys.ed25519)),
                    .init("curve25519:" + id, .string(curve25519 ?? account.identityKeys.curve25519)),
                ])),
        ]
        guard isSigned else { return object }
        let signature = try account.sign(#require(SignedJSON.bytes(object)))
        return SignedJSON.adding(signature, by: other ?? user, keyID: "ed25519:" + id, to: object)
    }

    /// Has one-time keys to claim.
    func publish(_ count: Int) throws {
        try account.generateOneTimeKeys(count)
        for key in try account.unpublishedOneTimeKeys() {
            let object: JSONObject = ["key": .string(key.key)]
            let signature = try account.sign(#require(SignedJSON.bytes(object)))
            let signed = SignedJSON.adding(signature, by: user, keyID: "ed25519:" + id, to: object)
            server.devices[user]?[id]?.oneTime.append(("signed_curve25519:" + key.id, .object(signed)))
        }
        account.markKeysAsPublished()
    }

    func session(with phone: Phone, isNew: Bool = false) throws -> any OlmSession {
        if let session, !isNew { return session }
        let claimed = try server.answer(.claimKeys([phone.user: [phone.id]]), from: user, id)
        let key = try #require(
            claimed["one_time_keys"]?[phone.user]?[phone.id]?.object?.members.first?.value["key"]?.string)
        let made = try account.outboundSession(
            with: phone.machine.identityKeys.curve25519, oneTimeKey: key)
        session = made
        return made
    }

    /// An envelope as it should be; the test spoils it.
    func envelope(_ type: String, _ content: JSONValue, to phone: Phone) -> JSONObject {
        [
            "type": .string(type), "content": content, "sender": .string(user), "recipient": .string(phone.user),
            "recipient_keys": ["ed25519": .string(phone.machine.identityKeys.ed25519)],
            "keys": ["ed25519": .string(account.identityKeys.ed25519)],
        ]
    }

    func seal(_ envelope: JSONObject, to phone: Phone, isNew: Bool = false) throws -> JSONValue {
        let message = try session(with: phone, isNew: isNew).encrypt(JSONWriter.canonical(.object(envelope)))
        let part: JSONValue = ["type": .integer(Int64(message.type)), "body": .string(message.body)]
        return [
            "algorithm": "m.olm.v1.curve25519-aes-sha2", "sender_key": .string(account.identityKeys.curve25519),
            "ciphertext": .object(JSONObject([.init(phone.machine.identityKeys.curve25519, part)])),
        ]
    }

    func deliver(
        _ content: JSONValue, as type: String = "m.room.encrypted", from sender: String? = nil, to phone: Phone
    ) {
        let messages = ToDeviceOutbox.messages([(device: phone.name, content: content)])
        server.deliver(type, from: sender ?? user, messages)
    }

    /// A session of this device's in the room.
    func group() throws -> (session: any OutboundGroupSession, content: JSONValue) {
        let session = try libolm().makeOutboundGroupSession()
        return (session, try roomKey(session))
    }

    func roomKey(_ session: any OutboundGroupSession) throws -> JSONValue {
        [
            "algorithm": "m.megolm.v1.aes-sha2", "room_id": .string(room), "session_id": .string(session.id),
            "session_key": .string(try session.sessionKey()),
        ]
    }

    static func event(_ session: any OutboundGroupSession, _ plaintext: JSONValue) throws -> JSONValue {
        [
            "algorithm": "m.megolm.v1.aes-sha2", "session_id": .string(session.id),
            "ciphertext": .string(try session.encrypt(JSONWriter.canonical(plaintext))),
        ]
    }

    static func text(_ body: String, in name: String = room) -> JSONValue {
        ["type": "m.room.message", "content": ["msgtype": "m.text", "body": .string(body)], "room_id": .string(name)]
    }
}
