/// Encrypts files before they are uploaded. Each gets a key and a counter of its own, even when it is the same file again:
/// two files under one key and counter would give away their difference.
public struct AttachmentCipher: Sendable {
    public struct Sealed: Equatable, Sendable {
        /// To be uploaded as `application/octet-stream`, without a name.
        public let ciphertext: [UInt8]
        public let file: EncryptedFile
    }

    private let random: @Sendable (Int) -> [UInt8]
    private let aes256CTR: @Sendable (_ key: [UInt8], _ iv: [UInt8], _ bytes: [UInt8]) -> [UInt8]?
    public let sha256: @Sendable ([UInt8]) -> [UInt8]

    public init(
        random: @escaping @Sendable (Int) -> [UInt8],
        aes256CTR: @escaping @Sendable (_ key: [UInt8], _ iv: [UInt8], _ bytes: [UInt8]) -> [UInt8]?,
        sha256: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.random = random
        self.aes256CTR = aes256CTR
        self.sha256 = sha256
    }

    /// Nil when the library can't encrypt.
    public func seal(_ plain: [UInt8]) -> Sealed? {
        let key = random(32)
        // The lower half counts the blocks, from 0, so that it never runs over into the upper.
        let iv = random(8) + [UInt8](repeating: 0, count: 8)
        guard key.count == 32, iv.count == 16, let ciphertext = aes256CTR(key, iv, plain) else { return nil }
        return Sealed(ciphertext: ciphertext, file: EncryptedFile(key: key, iv: iv, sha256: sha256(ciphertext)))
    }

    /// Nil when these bytes aren't those that the sender had uploaded.
    public func open(_ ciphertext: [UInt8], _ file: EncryptedFile) -> [UInt8]? {
        guard sha256(ciphertext) == file.sha256 else { return nil }
        return aes256CTR(file.key, file.iv, ciphertext)
    }
}
