import COpenSSL

/// SHA-256 and what is built on it, for SASL and for names made from ids.
public enum SHA256 {
    public static let byteCount = 32

    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: byteCount)
        let result = EVP_Digest(bytes, bytes.count, &out, nil, EVP_sha256(), nil)
        precondition(result == 1, "SHA-256 is not there")
        return out
    }

    /// RFC 2104.
    public static func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: byteCount)
        let result = HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &out, nil)
        precondition(result != nil, "HMAC-SHA-256 is not there")
        return out
    }

    /// RFC 8018 section 5.2. Blocks for as long as the iterations take: not on the loop.
    public static func pbkdf2(password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        precondition(iterations > 0 && iterations <= Int32.max)
        var out = [UInt8](repeating: 0, count: byteCount)
        let result = password.withUnsafeBytes {
            PKCS5_PBKDF2_HMAC(
                $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(password.count), salt, Int32(salt.count),
                Int32(iterations), EVP_sha256(), Int32(byteCount), &out)
        }
        precondition(result == 1, "PBKDF2 is not there")
        return out
    }
}

/// Random bytes fit for keys and nonces.
public func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = RAND_bytes(&bytes, Int32(count))
    // Without randomness nothing that follows is safe.
    precondition(result == 1, "no random bytes")
    return bytes
}
