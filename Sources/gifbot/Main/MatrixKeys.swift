import Base
import Libolm
import MatrixAdapter
import MatrixCrypto
import OpenSSL
import State

/// The machines of Matrix accounts: libolm over files in the state folder.
struct MatrixKeys: CryptoSource {
    let folder: String
    let log: Log
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64

    var attachments: AttachmentCipher {
        AttachmentCipher(
            random: { randomBytes($0) }, aes256CTR: { AES256CTR.apply(key: $0, iv: $1, to: $2) },
            sha256: { SHA256.hash($0) })
    }

    func machine(user: String, device: String, recoveryKey: Secret?, trust: DeviceTrust) throws(CryptoError)
        -> OlmMachine
    {
        do throws(CryptoError) {
            return try open(user: user, device: device, recoveryKey: recoveryKey, trust)
        } catch {
            // Made under another secret than the one that lies beside it: nothing in there will ever be read again.
            guard case .olm(let fault) = error, fault.reason == .wrongPickleKey || fault.reason == .badPickle else {
                throw error
            }
            try files(of: user).setAside()
            return try open(user: user, device: device, recoveryKey: recoveryKey, trust)
        }
    }

    private func open(
        user: String, device: String, recoveryKey: Secret?, _ trust: DeviceTrust
    ) throws(CryptoError) -> OlmMachine {
        let files = files(of: user)
        let keys = try files.open(user: user, device: device)
        let identity = IdentityEquipment(
            cipher: SecretCipher(
                aes256CTR: { AES256CTR.apply(key: $0, iv: $1, to: $2) },
                hmacSHA256: { SHA256.hmac(key: $0, $1) }),
            recoveryKey: recoveryKey?.value,
            keepRecoveryKey: { (key) throws(CryptoError) in
                log.addSecret(Secret(key))
                try files.keep(recoveryKey: key)
            })
        return try OlmMachine(
            userID: user, deviceID: device, driver: LibolmDriver(random: { randomBytes($0) }), store: keys.store,
            pickleKey: keys.pickleKey, trust: trust, identity: identity, random: { randomBytes($0) })
    }

    private func files(of user: String) -> KeyFiles {
        KeyFiles(folder: folder, account: user, log: log, now: now, random: { randomBytes($0) })
    }
}
