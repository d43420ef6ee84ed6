import COpenSSL

/// A private key on the curve P-256, for SASL ECDSA-NIST256P-CHALLENGE. It lives where it was made.
public final class P256Key {
    private let key: OpaquePointer

    /// Reads the first private key of a PEM text; what stands before it (`EC PARAMETERS`) is passed over.
    public init(pem: String) throws(P256KeyError) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let bytes = Array(pem.utf8)
        let found = bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(bio) }
            // A key with a pass phrase would otherwise ask for it on the terminal.
            return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in 0 }, nil)
        }
        guard let found else {
            throw P256KeyError(reason: "no private key in PEM that can be read without a pass phrase")
        }
        key = found
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(found, &name, name.count, &length) == 1,
            name.withUnsafeBufferPointer({ String(cString: $0.baseAddress!) }) == "prime256v1"
        else { throw P256KeyError(reason: "not a key on the curve P-256 (prime256v1)") }
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Signs 32 bytes as they are, without hashing them; ECDSA in DER (SEC 1 section C.8). Nil if OpenSSL can't.
    public func sign(_ digest: [UInt8]) -> [UInt8]? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var length = 0
        guard EVP_PKEY_sign_init(context) == 1, EVP_PKEY_sign(context, nil, &length, digest, digest.count) == 1 else {
            return nil
        }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_PKEY_sign(context, &signature, &length, digest, digest.count) == 1 else { return nil }
        return Array(signature.prefix(length))
    }

    /// Whether a signature is this key's; for tests.
    package func verifies(_ signature: [UInt8], of digest: [UInt8]) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_verify_init(context) == 1
            && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
}

public struct P256KeyError: Error, Equatable, Sendable {
    /// Without anything of the key.
    public let reason: String
}
