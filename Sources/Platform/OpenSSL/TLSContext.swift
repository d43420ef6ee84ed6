import COpenSSL
import Glibc
import Synchronization

/// Everything that sessions with the same settings share: the trusted authorities and our own certificate, loaded once.
///
/// `@unchecked Sendable`: the `SSL_CTX` is not changed after `init`, and OpenSSL counts its users atomically.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let sessions = TLSSessions()

    private struct Key: Hashable {
        let settings: TLSSettings
        /// When each file was last changed, so that a replaced file is loaded anew.
        let files: [FileStamp]
    }

    private struct FileStamp: Hashable {
        var inode: UInt64 = 0
        var seconds = 0
        var nanoseconds = 0
        var size: Int64 = 0

        init(_ path: String?) {
            var info = stat()
            guard let path, stat(path, &info) == 0 else { return }
            inode = UInt64(info.st_ino)
            seconds = info.st_mtim.tv_sec
            nanoseconds = info.st_mtim.tv_nsec
            size = Int64(info.st_size)
        }
    }

    private static let capacity = 32
    private static let made = Mutex<[Key: TLSContext]>([:])

    /// The context for these settings; all are forgotten when there are more than a bot can have networks.
    static func client(_ settings: TLSSettings) throws(TLSError.Reason) -> TLSContext {
        let files = [settings.caFile, settings.clientCertificate, settings.clientKey].map(FileStamp.init)
        let key = Key(settings: settings, files: files)
        if let known = made.withLock({ $0[key] }) { return known }
        let context = try TLSContext(client: settings)
        made.withLock { made in
            if made.count >= capacity { made.removeAll() }
            made[key] = context
        }
        return context
    }

    private init(method: OpaquePointer?) throws(TLSError.Reason) {
        ErrorQueue.clear()
        guard let pointer = SSL_CTX_new(method) else {
            throw .protocolFailure(ErrorQueue.drain()?.text ?? "no context")
        }
        self.pointer = pointer
        _ = shim_SSL_CTX_set_min_proto_version(pointer, TLS1_2_VERSION)
        // SSL_OP_NO_RENEGOTIATION, which is a macro with a cast.
        SSL_CTX_set_options(pointer, UInt64(1) << 30)
        // A key with a pass phrase would otherwise ask for it on the terminal.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in 0 }
    }

    private convenience init(client settings: TLSSettings) throws(TLSError.Reason) {
        try self.init(method: TLS_client_method())
        shim_SSL_CTX_keep_client_sessions_outside(pointer)
        SSL_CTX_sess_set_new_cb(pointer) { ssl, session in
            guard let ssl, let session, let engine = SSL_get_ex_data(ssl, 0) else { return 0 }
            return Unmanaged<TLSEngine>.fromOpaque(engine).takeUnretainedValue().keep(session) ? 1 : 0
        }
        if settings.checksChain {
            if let file = settings.caFile {
                try load(SSL_CTX_load_verify_file(pointer, file)) { .badCAFile(file, reason: $0) }
            } else {
                SystemTrust.use(in: pointer)
            }
        }
        if let certificate = settings.clientCertificate {
            try loadIdentity(certificate: certificate, key: settings.clientKey ?? certificate)
        }
    }

    /// The other side, which the tests need; `asks` for a certificate but takes any.
    convenience init(
        serverCertificate: String, key: String, asksForCertificate asks: Bool, newest: TLSVersion
    ) throws(TLSError.Reason) {
        try self.init(method: TLS_server_method())
        switch newest {
        case .tls11:
            // Only on the lowest security level; a client of ours refuses it on any.
            SSL_CTX_set_security_level(pointer, 0)
            _ = shim_SSL_CTX_set_min_proto_version(pointer, TLS1_1_VERSION)
            _ = shim_SSL_CTX_set_max_proto_version(pointer, TLS1_1_VERSION)
        case .tls12: _ = shim_SSL_CTX_set_max_proto_version(pointer, TLS1_2_VERSION)
        case .tls13: break
        }
        try loadIdentity(certificate: serverCertificate, key: key)
        if asks { SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER) { _, _ in 1 } }
    }

    private func loadIdentity(certificate: String, key: String) throws(TLSError.Reason) {
        try load(SSL_CTX_use_certificate_chain_file(pointer, certificate)) {
            .badClientCertificate(certificate, reason: $0)
        }
        try load(SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM)) {
            .badClientCertificate(key, reason: $0)
        }
    }

    private func load(
        _ result: @autoclosure () -> Int32, _ reason: (String) -> TLSError.Reason
    ) throws(TLSError.Reason) {
        ErrorQueue.clear()
        guard result() != 1 else {
            ErrorQueue.clear()
            return
        }
        throw reason(ErrorQueue.drain()?.text ?? "cannot be read")
    }

    deinit {
        SSL_CTX_free(pointer)
    }
}

extension TLSError.Reason: Error {}
