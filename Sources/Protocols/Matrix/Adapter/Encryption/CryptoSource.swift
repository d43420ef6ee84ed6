public import Base
public import MatrixCrypto

/// Where machines come from: a library and the stores of devices. Its calls block, and come from a queue of the account's
/// own.
public protocol CryptoSource: Sendable {
    /// For the files of encrypted rooms.
    var attachments: AttachmentCipher { get }
    /// Over the device's store, which is made when there is none.
    func machine(user: String, device: String, recoveryKey: Secret?, trust: DeviceTrust) throws(CryptoError)
        -> OlmMachine
}
