import IRC
import OpenSSL

/// The hash functions as the program hands them in.
struct RealFunctions: ScramFunctions {
    func hash(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }
    func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { SHA256.hmac(key: key, bytes) }
    func pbkdf2(password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        SHA256.pbkdf2(password: password, salt: salt, iterations: iterations)
    }
}
