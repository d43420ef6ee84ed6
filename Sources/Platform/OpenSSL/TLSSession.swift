import COpenSSL
import Synchronization

/// What a server gave us to shorten the next handshake (a session or ticket, RFC 8446 section 2.2).
///
/// `@unchecked Sendable`: an `SSL_SESSION` isn't changed once it is made, and OpenSSL counts its users atomically.
final class TLSSession: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over one use of it.
    init(taking pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        SSL_SESSION_free(pointer)
    }

    /// A server that resumes shows no certificate: the one of before must still be good. (If it was replaced meanwhile,
    /// that is noticed when the ticket has run out, hours later at most.)
    var isUsable: Bool {
        guard SSL_SESSION_is_resumable(pointer) == 1, let certificate = SSL_SESSION_get0_peer(pointer) else {
            return false
        }
        return X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0
    }
}

/// One session for each place, used once: a ticket that goes over the wire twice would show that both connections are
/// ours (RFC 8446 appendix C.4), and one that a server chokes on must not be tried for ever.
final class TLSSessions: Sendable {
    /// More places than a bot has networks; then all are forgotten.
    private static let capacity = 64
    private let kept = Mutex<[String: TLSSession]>([:])

    func keep(_ session: TLSSession, for place: String) {
        kept.withLock { kept in
            if kept.count >= Self.capacity, kept[place] == nil { kept.removeAll() }
            kept[place] = session
        }
    }

    func take(_ place: String) -> TLSSession? {
        let session = kept.withLock { $0.removeValue(forKey: place) }
        return session?.isUsable == true ? session : nil
    }
}
