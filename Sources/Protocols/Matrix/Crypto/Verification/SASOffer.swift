import JSON

/// What is agreed on before keys are exchanged: the one set of methods that this device knows, of the newest kind.
enum SASOffer {
    static let method = "m.sas.v1"
    private static let agreement = "curve25519-hkdf-sha256"
    private static let hash = "sha256"
    private static let codes = "hkdf-hmac-sha256.v2"
    private static let strings = ["decimal", "emoji"]

    static func start(from device: String) -> JSONObject {
        [
            "from_device": .string(device), "method": .string(method),
            "key_agreement_protocols": [.string(agreement)], "hashes": [.string(hash)],
            "message_authentication_codes": [.string(codes)],
            "short_authentication_string": .array(strings.map { .string($0) }),
        ]
    }

    /// The answer to a start, without the commitment; nil when it has nothing that we know.
    static func accept(_ start: JSONValue) -> JSONObject? {
        func offers(_ name: String, _ word: String) -> Bool { start[name]?.array?.contains(.string(word)) == true }
        guard start["method"]?.string == method, offers("key_agreement_protocols", agreement), offers("hashes", hash),
            offers("message_authentication_codes", codes)
        else { return nil }
        let common = strings.filter { offers("short_authentication_string", $0) }
        guard !common.isEmpty else { return nil }
        return [
            "method": .string(method), "key_agreement_protocol": .string(agreement), "hash": .string(hash),
            "message_authentication_code": .string(codes),
            "short_authentication_string": .array(common.map { .string($0) }),
        ]
    }

    /// Whether an answer to our start keeps to what we offered.
    static func isAcceptable(_ accept: JSONValue) -> Bool {
        // "method" is missing in what some clients send.
        (accept["method"] == nil || accept["method"]?.string == method)
            && accept["key_agreement_protocol"]?.string == agreement && accept["hash"]?.string == hash
            && accept["message_authentication_code"]?.string == codes
            && !strings.filter { accept["short_authentication_string"]?.array?.contains(.string($0)) == true }.isEmpty
    }

    static func hasEmoji(_ accept: JSONValue) -> Bool {
        accept["short_authentication_string"]?.array?.contains("emoji") == true
    }

    /// "The hash of the concatenation of the device's ephemeral public key and the canonical JSON of the start"; nil for a start
    /// that has no canonical form.
    static func commitment(key: String, start: JSONValue, sha256: ([UInt8]) -> [UInt8]) -> String? {
        guard let canonical = try? JSONWriter.canonical(start) else { return nil }
        return Base64.encode(sha256(Array(key.utf8) + canonical))
    }
}
