import COlm
import MatrixCrypto

extension LibolmObject.Kind {
    static let session = Self(
        size: olm_session_size, make: olm_session, clear: olm_clear_session, lastError: olm_session_last_error)
}

final class LibolmSession: OlmSession {
    let id: String
    let object: LibolmObject
    private let random: (Int) -> [UInt8]

    init(_ object: LibolmObject, random: @escaping (Int) -> [UInt8]) throws(OlmError) {
        self.object = object
        self.random = random
        let count = olm_session_id_length(object.pointer)
        id = try object.text(count) { olm_session_id($0, $1, count) }
    }

    var hasReceivedMessage: Bool { olm_session_has_received_message(object.pointer) != 0 }

    func encrypt(_ plaintext: [UInt8]) throws(OlmError) -> OlmMessage {
        let type = try object.call { olm_encrypt_message_type($0) }
        // None while our ratchet doesn't turn.
        var bytes = random(olm_encrypt_random_length(object.pointer))
        let count = olm_encrypt_message_length(object.pointer, plaintext.count)
        let body = try object.text(count) {
            olm_encrypt($0, plaintext, plaintext.count, &bytes, bytes.count, $1, count)
        }
        return OlmMessage(type: type, body: body)
    }

    func decrypt(_ message: OlmMessage) throws(OlmError) -> [UInt8] {
        guard message.type == 0 || message.type == 1 else { throw OlmError(.badMessage, "neither type 0 nor 1") }
        let body = try canonicalMessage(message.body)
        var copy = body
        let count = try object.call { olm_decrypt_max_plaintext_length($0, message.type, &copy, copy.count) }
        var destroyed = body
        return try object.bytes(count) { olm_decrypt($0, message.type, &destroyed, destroyed.count, $1, count) }
    }

    func matches(_ message: OlmMessage, from identityKey: String) -> Bool {
        guard message.type == 0, let identity = try? canonicalKey(identityKey),
            var body = try? canonicalMessage(message.body)
        else { return false }
        return olm_matches_inbound_session_from(
            object.pointer, identity, identity.count, &body, body.count) == 1
    }

    func pickle(key: [UInt8]) throws(OlmError) -> [UInt8] {
        let count = olm_pickle_session_length(object.pointer)
        return try object.bytes(count) { olm_pickle_session($0, key, key.count, $1, count) }
    }
}
