import Base
import IRC
import OpenSSL

/// Does what a session's login needs done outside: on a queue of its own, because half a million rounds of hashing
/// would hold the loop for as long as hundreds of commands.
actor LoginDesk {
    /// For all networks; a session asks for one thing at a time.
    static let shared = LoginDesk()

    private nonisolated let queue = QueueExecutor(label: "login")

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func answer(_ work: LoginWork, key: Secret?) -> LoginAnswer {
        switch work {
        case .randomBytes(let count): return .randomBytes(randomBytes(count))
        case .proof(let work): return .proof(work.proof(OpenSSLFunctions()))
        case .signature(let bytes):
            guard let key else { return .failed("there is no key to sign with") }
            do throws(P256KeyError) {
                guard let signature = try P256Key(pem: key.value).sign(bytes) else {
                    return .failed("the key can't sign")
                }
                return .signature(signature)
            } catch {
                return .failed("the key is of no use: \(error.reason)")
            }
        }
    }
}

private struct OpenSSLFunctions: ScramFunctions {
    func hash(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }
    func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { SHA256.hmac(key: key, bytes) }
    func pbkdf2(password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        SHA256.pbkdf2(password: password, salt: salt, iterations: iterations)
    }
}
