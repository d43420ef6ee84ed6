import Base
import Libolm
import MatrixAdapter
import MatrixCrypto
import OpenSSL
import Synchronization
import TestSupport

/// Machines over one store in memory, which may not be had at first.
final class KeySource: CryptoSource, @unchecked Sendable {
    /// Used by one machine at a time.
    let store = MemoryKeyStore()
    private let troubles: Mutex<Int>
    private let opened = Mutex(0)

    /// The first `troubles` times the store can't be opened.
    init(troubles: Int = 0) {
        self.troubles = Mutex(troubles)
    }

    /// So often from now on the store can't be opened.
    func breaks(times: Int) { troubles.withLock { $0 = times } }

    var timesOpened: Int { opened.withLock { $0 } }

    var attachments: AttachmentCipher {
        AttachmentCipher(
            random: { randomBytes($0) }, aes256CTR: { AES256CTR.apply(key: $0, iv: $1, to: $2) },
            sha256: { SHA256.hash($0) })
    }

    func machine(user: String, device: String, recoveryKey: Secret?, trust: DeviceTrust) throws(CryptoError)
        -> OlmMachine
    {
        let isTrouble = troubles.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        if isTrouble { throw .store("the disk is full") }
        opened.withLock { $0 += 1 }
        return try OlmMachine(
            userID: user, deviceID: device, driver: LibolmDriver(random: { randomBytes($0) }), store: store,
            pickleKey: [UInt8](repeating: 7, count: 32), trust: trust, random: { randomBytes($0) })
    }
}
