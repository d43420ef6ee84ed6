import COlm
import MatrixCrypto

extension LibolmObject.Kind {
    static let outboundGroupSession = Self(
        size: olm_outbound_group_session_size, make: olm_outbound_group_session,
        clear: olm_clear_outbound_group_session, lastError: olm_outbound_group_session_last_error)
    static let inboundGroupSession = Self(
        size: olm_inbound_group_session_size, make: olm_inbound_group_session,
        clear: olm_clear_inbound_group_session, lastError: olm_inbound_group_session_last_error)
}

final class LibolmOutboundGroupSession: OutboundGroupSession {
    let id: String
    private let object: LibolmObject

    init(_ object: LibolmObject) throws(OlmError) {
        self.object = object
        let count = olm_outbound_group_session_id_length(object.pointer)
        id = try object.text(count) { olm_outbound_group_session_id($0, $1.asBytes, count) }
    }

    var messageIndex: UInt32 { olm_outbound_group_session_message_index(object.pointer) }

    func sessionKey() throws(OlmError) -> String {
        let count = olm_outbound_group_session_key_length(object.pointer)
        return try object.text(count) { olm_outbound_group_session_key($0, $1.asBytes, count) }
    }

    func encrypt(_ plaintext: [UInt8]) throws(OlmError) -> String {
        let count = olm_group_encrypt_message_length(object.pointer, plaintext.count)
        return try object.text(count) { olm_group_encrypt($0, plaintext, plaintext.count, $1.asBytes, count) }
    }

    func pickle(key: [UInt8]) throws(OlmError) -> [UInt8] {
        let count = olm_pickle_outbound_group_session_length(object.pointer)
        return try object.bytes(count) { olm_pickle_outbound_group_session($0, key, key.count, $1, count) }
    }
}

final class LibolmInboundGroupSession: InboundGroupSession {
    let id: String
    private let object: LibolmObject

    init(_ object: LibolmObject) throws(OlmError) {
        self.object = object
        let count = olm_inbound_group_session_id_length(object.pointer)
        id = try object.text(count) { olm_inbound_group_session_id($0, $1.asBytes, count) }
    }

    var firstKnownIndex: UInt32 { olm_inbound_group_session_first_known_index(object.pointer) }

    func decrypt(_ ciphertext: String) throws(OlmError) -> GroupPlaintext {
        let body = try canonicalMessage(ciphertext)
        var copy = body
        let count = try object.call { olm_group_decrypt_max_plaintext_length($0, &copy, copy.count) }
        var destroyed = body
        var index: UInt32 = 0
        let bytes = try object.bytes(count) {
            olm_group_decrypt($0, &destroyed, destroyed.count, $1.asBytes, count, &index)
        }
        return GroupPlaintext(bytes: bytes, index: index)
    }

    func pickle(key: [UInt8]) throws(OlmError) -> [UInt8] {
        let count = olm_pickle_inbound_group_session_length(object.pointer)
        return try object.bytes(count) { olm_pickle_inbound_group_session($0, key, key.count, $1, count) }
    }
}

extension UnsafeMutableRawPointer {
    /// What the group functions want instead of `void *`.
    fileprivate var asBytes: UnsafeMutablePointer<UInt8> { assumingMemoryBound(to: UInt8.self) }
}
