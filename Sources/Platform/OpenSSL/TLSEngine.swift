import COpenSSL

/// One TLS session as a transformer of bytes: no descriptor, no clock. What is to be sent collects in `output`.
///
/// Not `Sendable`: it lives where its connection lives.
public final class TLSEngine {
    /// handshaking → open, failed; open → closedByPeer, closed, failed. Nothing leaves the last three.
    public enum State: Equatable, Sendable {
        case handshaking
        case open
        /// The peer has said that nothing more comes.
        case closedByPeer
        case closed
        case failed(TLSError)
    }

    /// How much more plaintext than ciphertext one call of `receive` can give: the rest of a record (RFC 8446
    /// section 5.2) whose beginning came before.
    public static let heldBack = 17 << 10

    public private(set) var state = State.handshaking
    /// Bytes for the peer.
    public var output: ByteQueue { wire.output }
    /// The handshake has been completed and the certificate has passed, whatever came after.
    public private(set) var hasOpened = false

    private let host: String
    private let pins: [Fingerprint]
    private var showsCertificate = false
    private let context: TLSContext
    private let ssl: OpaquePointer
    private let wire = Wire()
    private var sawFirstByte = false
    private var verifyFailure: TLSError.Reason?

    /// Where to keep what shortens the next handshake; nil: nowhere.
    private var place: String?

    /// The client's side. With a `place` (host and port) a session of before is resumed; not where we show a
    /// certificate of our own, which some servers forget with that.
    public convenience init(_ settings: TLSSettings, host: String, place: String? = nil) throws(TLSError) {
        do throws(TLSError.Reason) {
            try self.init(context: TLSContext.client(settings), host: host, pins: settings.pins)
        } catch {
            throw TLSError(host: host, reason: error)
        }
        showsCertificate = settings.clientCertificate != nil
        SSL_set_connect_state(ssl)
        if case .name(let name) = HostName(host) { _ = shim_SSL_set_tlsext_host_name(ssl, name) }
        if settings.checksChain { checkChain() }
        guard let place, settings.clientCertificate == nil else { return }
        self.place = place
        if let session = context.sessions.take(place) { SSL_set_session(ssl, session.pointer) }
    }

    /// The server's side, for stand-ins in tests; PEM files, the chain in the first.
    package convenience init(
        serverCertificate: String, key: String, asksForCertificate: Bool = false
    ) throws(TLSError) {
        do throws(TLSError.Reason) {
            try self.init(
                server: TLSContext(
                    serverCertificate: serverCertificate, key: key, asksForCertificate: asksForCertificate,
                    newest: .tls13))
        } catch {
            throw TLSError(host: "server", reason: error)
        }
    }

    convenience init(server context: TLSContext) throws(TLSError.Reason) {
        try self.init(context: context, host: "client", pins: [])
        SSL_set_accept_state(ssl)
    }

    private init(context: TLSContext, host: String, pins: [Fingerprint]) throws(TLSError.Reason) {
        ErrorQueue.clear()
        guard let ssl = SSL_new(context.pointer), let bio = wire.bio() else {
            throw .protocolFailure(ErrorQueue.drain()?.text ?? "no session")
        }
        self.context = context
        self.host = host
        self.pins = pins
        self.ssl = ssl
        SSL_set_bio(ssl, bio, bio)
        // Index 0 is OpenSSL's own for application data.
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        // A missing goodbye, which is usual in IRC, would make its session useless; what broke really does.
        switch state {
        case .open, .closedByPeer, .closed: SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        case .handshaking, .failed: break
        }
        SSL_free(ssl)
    }

    // MARK: Bytes

    /// Begins the handshake; a client's first message goes to `output`.
    public func start() {
        if state == .handshaking { shakeHands() }
    }

    /// Takes everything in and writes what it says into `plaintext`, which must have room for `ciphertext.count` plus
    /// `heldBack` bytes. Returns how much that is; look at `state` and `output` afterwards.
    public func receive(
        _ ciphertext: UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer
    ) -> Int {
        precondition(plaintext.count >= ciphertext.count + Self.heldBack)
        guard looksLikeTLS(ciphertext) else {
            fail(.notTLS)
            return 0
        }
        wire.input = ciphertext
        defer { wire.input = UnsafeRawBufferPointer(start: nil, count: 0) }
        if state == .handshaking { shakeHands() }
        var filled = 0
        while state == .open {
            var count = 0
            ErrorQueue.clear()
            let result = SSL_read_ex(ssl, plaintext.baseAddress! + filled, plaintext.count - filled, &count)
            if result == 1 {
                filled += count
                if filled == plaintext.count { break }
            } else if !wentWell(result) {
                break
            }
        }
        return filled
    }

    /// Encrypts into `output`; ignored unless open.
    public func send(_ plaintext: UnsafeRawBufferPointer) {
        guard state == .open, !plaintext.isEmpty else { return }
        var count = 0
        ErrorQueue.clear()
        // The output takes everything, so a write is never partial.
        let result = SSL_write_ex(ssl, plaintext.baseAddress, plaintext.count, &count)
        if result != 1 { _ = wentWell(result) }
    }

    /// Puts the close-notify into `output`.
    public func close() {
        if state == .open || (state == .closedByPeer && hasOpened) {
            ErrorQueue.clear()
            SSL_shutdown(ssl)
            ErrorQueue.clear()
        }
        switch state {
        case .handshaking, .open, .closedByPeer: state = .closed
        case .closed, .failed: break
        }
    }

    /// The bytes have ended. An error if that was too early; a missing close-notify is none, many servers omit it.
    public func endOfInput() -> TLSError? {
        switch state {
        case .handshaking:
            fail(.closedDuringHandshake)
            return TLSError(host: host, reason: .closedDuringHandshake)
        case .failed(let error): return error
        case .open, .closedByPeer, .closed: return nil
        }
    }

    // MARK: What is known of the session

    /// SHA-256 of the other side's certificate, if it has shown one.
    public var peerFingerprint: Fingerprint? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        return Certificate.fingerprint(certificate)
    }

    /// The handshake was a short one; for tests.
    package var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// For example `TLSv1.3`; for tests.
    package var version: String { String(cString: SSL_get_version(ssl)) }

    /// OpenSSL hands over a session; false leaves it with OpenSSL.
    func keep(_ session: OpaquePointer) -> Bool {
        guard let place else { return false }
        context.sessions.keep(TLSSession(taking: session), for: place)
        return true
    }

    // MARK: Handshake

    private func shakeHands() {
        ErrorQueue.clear()
        let result = SSL_do_handshake(ssl)
        guard result == 1 else {
            _ = wentWell(result)
            return
        }
        ErrorQueue.clear()
        if !pins.isEmpty {
            let fingerprint = peerFingerprint
            guard let fingerprint, pins.contains(fingerprint) else {
                // The end of the handshake may hold our own certificate, which is none of a stranger's business.
                if showsCertificate { output.drop(output.count) }
                fail(.pinMismatch(fingerprint: fingerprint?.description ?? "none"))
                return
            }
        }
        state = .open
        hasOpened = true
    }

    /// A plain-text server talks at once, and its greeting would be reported as a wrong version. The first record of a
    /// TLS server is a handshake (22) or an alert (21).
    private func looksLikeTLS(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !sawFirstByte, let first = bytes.first else { return true }
        sawFirstByte = true
        return first == 22 || first == 21
    }

    private func checkChain() {
        let parameters = SSL_get0_param(ssl)
        switch HostName(host) {
        case .name(let name):
            X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            X509_VERIFY_PARAM_set1_host(parameters, name, 0)
        case .address(let address): X509_VERIFY_PARAM_set1_ip_asc(parameters, address)
        }
        SSL_set_verify(ssl, SSL_VERIFY_PEER) { passed, store in
            if passed != 1,
                let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
                let engine = SSL_get_ex_data(OpaquePointer(ssl), 0), let store
            {
                Unmanaged<TLSEngine>.fromOpaque(engine).takeUnretainedValue().verifyFailed(store)
            }
            return passed
        }
    }

    private func verifyFailed(_ store: OpaquePointer) {
        guard verifyFailure == nil, let certificate = X509_STORE_CTX_get_current_cert(store) else { return }
        let code = X509_STORE_CTX_get_error(store)
        verifyFailure =
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired(notAfter: Certificate.notAfter(certificate))
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid(notBefore: Certificate.notBefore(certificate))
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                .wrongHost(names: Certificate.names(certificate))
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
                .selfSigned(fingerprint: Certificate.fingerprint(certificate).description)
            case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                .unknownIssuer(Certificate.issuer(certificate))
            default: .untrusted(String(cString: X509_verify_cert_error_string(Int(code))))
            }
    }

    // MARK: Results

    /// False when no more can be done in this call; ends the session when the result says so.
    private func wentWell(_ result: Int32) -> Bool {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_NONE: return true
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN: state = .closedByPeer
        default:
            let error = ErrorQueue.drain()
            if let verifyFailure {
                fail(verifyFailure)
            } else if error?.reason == SSL_R_WRONG_VERSION_NUMBER, !hasOpened {
                fail(.notTLS)
            } else {
                fail(.protocolFailure(error?.text ?? "the connection broke"))
            }
        }
        ErrorQueue.clear()
        return false
    }

    private func fail(_ reason: TLSError.Reason) {
        state = .failed(TLSError(host: host, reason: reason))
    }
}
