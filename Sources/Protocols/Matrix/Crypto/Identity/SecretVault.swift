/// Secrets of the machine's in the store, encrypted under its key.
struct SecretVault {
    let context: CryptoContext
    let cipher: SecretCipher

    func read(_ name: String) throws(CryptoError) -> [UInt8]? {
        guard let stored = try context.value(of: name) else { return nil }
        return cipher.opened(stored, name: name, key: context.pickleKey)
    }

    func write(_ secret: [UInt8]?, as name: String) throws(CryptoError) {
        guard let secret else {
            context.changes.values.updateValue(nil, forKey: name)
            return
        }
        let iv = SecretCipher.iv(context.random(SecretCipher.ivLength))
        guard let sealed = cipher.sealed(secret, name: name, key: context.pickleKey, iv: iv) else {
            throw .olm(OlmError(.other, "AES is not there"))
        }
        context.changes.values.updateValue(sealed, forKey: name)
    }
}
