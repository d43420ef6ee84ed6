/// What a login needs and a machine without I/O doesn't have. The caller does it and hands the result to
/// `IRCSession.worked`.
public enum LoginWork: Equatable, Sendable {
    /// Bytes that nobody can guess.
    case randomBytes(Int)
    /// Takes up to half a second of hashing: not on the loop.
    case proof(ScramWork)
    /// By our private key, of these 32 bytes as they are (no hash over them), in DER.
    case signature(of: [UInt8])
}

public enum LoginAnswer: Equatable, Sendable {
    case randomBytes([UInt8])
    case proof(ScramProof)
    case signature([UInt8])
    /// Why it can't be done, for the log.
    case failed(String)
}
