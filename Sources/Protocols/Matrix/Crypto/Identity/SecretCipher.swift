/// How secrets are encrypted: that of `m.secret_storage.v1.aes-hmac-sha2` ("Secret storage"), in account data under the recovery
/// key and at rest under the store's own. The library's two functions are handed in.
public struct SecretCipher: Sendable {
    struct Sealed: Equatable {
        let iv: [UInt8]
        let ciphertext: [UInt8]
        let mac: [UInt8]
    }

    static let keyLength = 32
    static let ivLength = 16
    static let macLength = 32

    private let aes256CTR: @Sendable (_ key: [UInt8], _ iv: [UInt8], _ bytes: [UInt8]) -> [UInt8]?
    private let hmacSHA256: @Sendable (_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8]

    public init(
        aes256CTR: @escaping @Sendable (_ key: [UInt8], _ iv: [UInt8], _ bytes: [UInt8]) -> [UInt8]?,
        hmacSHA256: @escaping @Sendable (_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8]
    ) {
        self.aes256CTR = aes256CTR
        self.hmacSHA256 = hmacSHA256
    }

    /// From 16 random bytes; bit 63 is cleared, since some libraries stumble over it.
    static func iv(_ random: [UInt8]) -> [UInt8] {
        var iv = random
        if iv.count == ivLength { iv[8] &= 0x7F }
        return iv
    }

    /// `name` binds what is sealed to its place; an `iv` is used once.
    func seal(_ plain: [UInt8], name: String, key: [UInt8], iv: [UInt8]) -> Sealed? {
        guard iv.count == Self.ivLength else { return nil }
        let keys = keys(from: key, name: name)
        guard let ciphertext = aes256CTR(keys.aes, iv, plain) else { return nil }
        return Sealed(iv: iv, ciphertext: ciphertext, mac: hmacSHA256(keys.mac, ciphertext))
    }

    /// Nil for another key or name, and for what was tampered with.
    func open(_ sealed: Sealed, name: String, key: [UInt8]) -> [UInt8]? {
        let keys = keys(from: key, name: name)
        guard sealed.iv.count == Self.ivLength, isSame(hmacSHA256(keys.mac, sealed.ciphertext), sealed.mac) else {
            return nil
        }
        return aes256CTR(keys.aes, sealed.iv, sealed.ciphertext)
    }

    /// One array for the store: iv, mac, ciphertext.
    func sealed(_ plain: [UInt8], name: String, key: [UInt8], iv: [UInt8]) -> [UInt8]? {
        seal(plain, name: name, key: key, iv: iv).map { $0.iv + $0.mac + $0.ciphertext }
    }

    func opened(_ stored: [UInt8], name: String, key: [UInt8]) -> [UInt8]? {
        let head = Self.ivLength + Self.macLength
        guard stored.count >= head else { return nil }
        let sealed = Sealed(
            iv: Array(stored[..<Self.ivLength]), ciphertext: Array(stored[head...]),
            mac: Array(stored[Self.ivLength..<head]))
        return open(sealed, name: name, key: key)
    }

    /// HKDF-SHA-256 (RFC 5869) with a salt of 32 zero bytes; the first two blocks are the keys.
    private func keys(from key: [UInt8], name: String) -> (aes: [UInt8], mac: [UInt8]) {
        let secret = hmacSHA256([UInt8](repeating: 0, count: 32), key)
        let aes = hmacSHA256(secret, Array(name.utf8) + [1])
        return (aes, hmacSHA256(secret, aes + Array(name.utf8) + [2]))
    }

    /// In a time that doesn't tell where they differ.
    private func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
