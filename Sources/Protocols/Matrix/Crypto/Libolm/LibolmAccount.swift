import COlm
import JSON
import MatrixCrypto

extension LibolmObject.Kind {
    static let account = Self(
        size: olm_account_size, make: olm_account, clear: olm_clear_account, lastError: olm_account_last_error)
}

final class LibolmAccount: OlmAccount {
    let identityKeys: IdentityKeys
    private let object: LibolmObject
    private let random: (Int) -> [UInt8]

    init(_ object: LibolmObject, random: @escaping (Int) -> [UInt8]) throws(OlmError) {
        self.object = object
        self.random = random
        let keys = try Self.keys(
            object.bytes(olm_account_identity_keys_length(object.pointer)) {
                olm_account_identity_keys($0, $1, olm_account_identity_keys_length($0))
            })
        guard let curve25519 = keys["curve25519"]?.string, let ed25519 = keys["ed25519"]?.string else {
            throw OlmError(.other, "libolm named no identity keys")
        }
        identityKeys = IdentityKeys(curve25519: curve25519, ed25519: ed25519)
    }

    var maximumOneTimeKeys: Int { olm_account_max_number_of_one_time_keys(object.pointer) }

    func sign(_ message: [UInt8]) throws(OlmError) -> String {
        let count = olm_account_signature_length(object.pointer)
        return try object.text(count) { olm_account_sign($0, message, message.count, $1, count) }
    }

    func generateOneTimeKeys(_ count: Int) throws(OlmError) {
        // More than it keeps would only push out those just made.
        let count = min(max(count, 0), maximumOneTimeKeys)
        guard count > 0 else { return }
        var bytes = random(olm_account_generate_one_time_keys_random_length(object.pointer, count))
        try object.call { olm_account_generate_one_time_keys($0, count, &bytes, bytes.count) }
    }

    func unpublishedOneTimeKeys() throws(OlmError) -> [PublicKey] {
        let count = olm_account_one_time_keys_length(object.pointer)
        return try Self.curveKeys(object.bytes(count) { olm_account_one_time_keys($0, $1, count) })
    }

    func generateFallbackKey() throws(OlmError) {
        var bytes = random(olm_account_generate_fallback_key_random_length(object.pointer))
        try object.call { olm_account_generate_fallback_key($0, &bytes, bytes.count) }
    }

    func unpublishedFallbackKey() throws(OlmError) -> PublicKey? {
        let count = olm_account_unpublished_fallback_key_length(object.pointer)
        return try Self.curveKeys(object.bytes(count) { olm_account_unpublished_fallback_key($0, $1, count) }).first
    }

    func forgetOldFallbackKey() {
        olm_account_forget_old_fallback_key(object.pointer)
    }

    func markKeysAsPublished() {
        // The number of keys marked; it can't fail.
        _ = olm_account_mark_keys_as_published(object.pointer)
    }

    func outboundSession(with identityKey: String, oneTimeKey: String) throws(OlmError) -> any OlmSession {
        let (identity, oneTime) = (try canonicalKey(identityKey), try canonicalKey(oneTimeKey))
        let session = try LibolmObject(.session)
        var bytes = random(olm_create_outbound_session_random_length(session.pointer))
        try session.call {
            olm_create_outbound_session(
                $0, object.pointer, identity, identity.count, oneTime, oneTime.count, &bytes, bytes.count)
        }
        return try LibolmSession(session, random: random)
    }

    func inboundSession(from identityKey: String, message: OlmMessage) throws(OlmError) -> any OlmSession {
        guard message.type == 0 else { throw OlmError(.badMessage, "a session begins with a message of type 0") }
        let identity = try canonicalKey(identityKey)
        var body = try canonicalMessage(message.body)
        let session = try LibolmObject(.session)
        try session.call {
            olm_create_inbound_session_from($0, object.pointer, identity, identity.count, &body, body.count)
        }
        return try LibolmSession(session, random: random)
    }

    func removeOneTimeKeys(usedBy session: any OlmSession) throws(OlmError) {
        guard let session = session as? LibolmSession else { throw OlmError(.other, "a session of another library") }
        try object.call { olm_remove_one_time_keys($0, session.object.pointer) }
    }

    func pickle(key: [UInt8]) throws(OlmError) -> [UInt8] {
        let count = olm_pickle_account_length(object.pointer)
        return try object.bytes(count) { olm_pickle_account($0, key, key.count, $1, count) }
    }

    private static func keys(_ json: [UInt8]) throws(OlmError) -> JSONValue {
        do {
            return try JSONValue(parsing: json)
        } catch {
            throw OlmError(.other, "libolm wrote keys that can't be read")
        }
    }

    private static func curveKeys(_ json: [UInt8]) throws(OlmError) -> [PublicKey] {
        (try keys(json)["curve25519"]?.object?.members ?? []).compactMap { member in
            member.value.string.map { PublicKey(id: member.key, key: $0) }
        }
    }
}
