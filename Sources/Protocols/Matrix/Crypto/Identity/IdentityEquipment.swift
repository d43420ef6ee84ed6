/// What the machine needs to keep an identity of the account.
public struct IdentityEquipment {
    let cipher: SecretCipher
    /// As the operator gave it; nil when none was given.
    let recoveryKey: String?
    /// Lays a recovery key that was made where the operator finds it.
    let keepRecoveryKey: (String) throws(CryptoError) -> Void

    public init(
        cipher: SecretCipher, recoveryKey: String?, keepRecoveryKey: @escaping (String) throws(CryptoError) -> Void
    ) {
        self.cipher = cipher
        self.recoveryKey = recoveryKey
        self.keepRecoveryKey = keepRecoveryKey
    }
}

/// How the account's identity stands.
public enum IdentityStatus: Equatable, Sendable {
    case unknown
    /// The server has the account's keys, they are ours, and they signed this device.
    case signed
    /// The account has keys that the bot doesn't hold.
    case foreign
    /// The server took none.
    case refused
}
