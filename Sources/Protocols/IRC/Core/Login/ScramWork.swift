/// The hash functions that SCRAM is built on, handed in because this target has none.
public protocol ScramFunctions {
    func hash(_ bytes: [UInt8]) -> [UInt8]
    func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8]
    /// Blocks for as long as the iterations take.
    func pbkdf2(password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8]
}

/// The costly part of SCRAM (RFC 5802 section 3): from the password to the proof, and to what the server must answer.
public struct ScramWork: Equatable, Sendable, CustomStringConvertible {
    let password: [UInt8]
    let salt: [UInt8]
    public let iterations: Int
    /// `AuthMessage`: all that both sides have said and will say, without the proof.
    let message: [UInt8]

    public func proof(_ functions: some ScramFunctions) -> ScramProof {
        let salted = functions.pbkdf2(password: password, salt: salt, iterations: iterations)
        let clientKey = functions.hmac(key: salted, Array("Client Key".utf8))
        let clientSignature = functions.hmac(key: functions.hash(clientKey), message)
        let serverKey = functions.hmac(key: salted, Array("Server Key".utf8))
        return ScramProof(
            proof: zip(clientKey, clientSignature).map { $0 ^ $1 },
            serverSignature: functions.hmac(key: serverKey, message))
    }

    /// Without the password.
    public var description: String { "SCRAM, \(iterations) iterations" }
}

public struct ScramProof: Equatable, Sendable {
    let proof: [UInt8]
    let serverSignature: [UInt8]
}
