import COlm
import MatrixCrypto

extension LibolmObject.Kind {
    fileprivate static let signing = Self(
        size: olm_pk_signing_size, make: olm_pk_signing, clear: olm_clear_pk_signing,
        lastError: olm_pk_signing_last_error)
    fileprivate static let utility = Self(
        size: olm_utility_size, make: olm_utility, clear: olm_clear_utility, lastError: olm_utility_last_error)
}

final class LibolmSigningKey: SigningKey {
    let publicKey: String
    private let object: LibolmObject

    init(seed: [UInt8]) throws(OlmError) {
        let object = try LibolmObject(.signing)
        guard seed.count == olm_pk_signing_seed_length() else { throw OlmError(.badKey, "no seed of 32 bytes") }
        self.object = object
        let count = olm_pk_signing_public_key_length()
        publicKey = try object.text(count, whole: true) {
            olm_pk_signing_key_from_seed($0, $1, count, seed, seed.count)
        }
    }

    func sign(_ message: [UInt8]) throws(OlmError) -> String {
        let count = olm_pk_signature_length()
        return try object.text(count, whole: true) {
            olm_pk_sign($0, message, message.count, $1.assumingMemoryBound(to: UInt8.self), count)
        }
    }
}

enum Signature {
    static func isValid(_ signature: String, of message: [UInt8], by key: String) -> Bool {
        guard let bytes = Base64.decode(signature), bytes.count == 64, isReduced(bytes[32...]),
            let key = try? canonicalKey(key), let utility = try? LibolmObject(.utility)
        else { return false }
        var text = Array(Base64.encode(bytes).utf8)
        return olm_ed25519_verify(
            utility.pointer, key, key.count, message, message.count, &text, text.count) == 0
    }

    /// RFC 8032 section 5.1.7: S is less than the group's order. libolm doesn't look (CVE-2024-45193), so that one
    /// signature would have many spellings.
    private static func isReduced(_ scalar: ArraySlice<UInt8>) -> Bool {
        for (digit, limit) in zip(scalar, order).reversed() where digit != limit { return digit < limit }
        return false
    }

    /// 2^252 + 27742317777372353535851937790883648493, least byte first.
    private static let order: [UInt8] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ]
}
