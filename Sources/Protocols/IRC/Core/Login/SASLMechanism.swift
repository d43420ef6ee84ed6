/// The ways to log in by SASL that are understood here, the strongest first.
public enum SASLMechanism: String, CaseIterable, Sendable {
    /// RFC 4422 appendix A: the certificate shown in the TLS handshake.
    case external = "EXTERNAL"
    /// Atheme's: a signature of the server's challenge by a key on the curve P-256.
    case ecdsa = "ECDSA-NIST256P-CHALLENGE"
    /// RFC 5802 and RFC 7677: the server never sees the password and must prove that it knows it.
    case scramSHA256 = "SCRAM-SHA-256"
    /// RFC 4616: the password itself.
    case plain = "PLAIN"

    /// What proves who we are. One that a server has refused is not shown to it again in another way.
    enum Credential: Hashable, Sendable {
        case certificate, key, password
    }

    var credential: Credential {
        switch self {
        case .external: .certificate
        case .ecdsa: .key
        case .scramSHA256, .plain: .password
        }
    }
}
