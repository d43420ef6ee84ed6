/// Why a TLS connection could not be made, or ended, in words for the log: the host, the reason, the dates.
public struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        /// Dates are UTC, as `2026-11-30 09:55:46`.
        case expired(notAfter: String)
        case notYetValid(notBefore: String)
        /// The names that the certificate is for (at most eight).
        case wrongHost(names: [String])
        /// What to write as `fingerprint` if this is the server's own.
        case selfSigned(fingerprint: String)
        case unknownIssuer(String)
        /// Another fault of the certificate chain, in OpenSSL's words.
        case untrusted(String)
        case pinMismatch(fingerprint: String)
        /// The first bytes were no TLS: a plain-text port.
        case notTLS
        case closedDuringHandshake
        case protocolFailure(String)
        case badCAFile(String, reason: String)
        case badClientCertificate(String, reason: String)
    }

    public let host: String
    public let reason: Reason

    public init(host: String, reason: Reason) {
        self.host = host
        self.reason = reason
    }

    /// Nothing changes until somebody acts: tries may be minutes apart.
    public var isLasting: Bool {
        switch reason {
        case .closedDuringHandshake, .protocolFailure: false
        case .expired, .notYetValid, .wrongHost, .selfSigned, .unknownIssuer, .untrusted, .pinMismatch, .notTLS,
            .badCAFile, .badClientCertificate:
            true
        }
    }

    public var description: String {
        switch reason {
        case .expired(let date): "\(host): the certificate ran out on \(date) UTC"
        case .notYetValid(let date): "\(host): the certificate is only valid from \(date) UTC"
        case .wrongHost(let names):
            "\(host): the certificate is for another host (\(names.isEmpty ? "no name" : names.joined(separator: ", ")))"
        case .selfSigned(let fingerprint): "\(host): the certificate is self-signed (fingerprint \(fingerprint))"
        case .unknownIssuer(let issuer): "\(host): the certificate's issuer is unknown (\(issuer))"
        case .untrusted(let text): "\(host): the certificate is not trusted: \(text)"
        case .pinMismatch(let fingerprint):
            "\(host): the certificate is not the pinned one (fingerprint \(fingerprint))"
        case .notTLS: "\(host): the server does not speak TLS on this port"
        case .closedDuringHandshake: "\(host): closed during the TLS handshake"
        case .protocolFailure(let text): "\(host): TLS failed: \(text)"
        case .badCAFile(let path, let reason): "\(host): CA file \(path): \(reason)"
        case .badClientCertificate(let path, let reason): "\(host): client certificate \(path): \(reason)"
        }
    }
}
