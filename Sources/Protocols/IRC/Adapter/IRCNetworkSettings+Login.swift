import Base
import IRC
import OpenSSL

/// Logins of an `irc:` entry.
extension IRCNetworkSettings {
    private enum Mechanism: String, CaseIterable {
        case auto, plain, external
        case scramSHA256 = "scram-sha-256"
        case ecdsa = "ecdsa-nist256p-challenge"

        /// nil for `auto`.
        var named: SASLMechanism? {
            switch self {
            case .auto: nil
            case .plain: .plain
            case .external: .external
            case .scramSHA256: .scramSHA256
            case .ecdsa: .ecdsa
            }
        }
    }

    /// What the rest of the entry says about how a login travels.
    struct LoginPath {
        /// Over TLS, or within this machine.
        var isPrivate: Bool
        /// Our own certificate is shown in the TLS handshake.
        var showsCertificate: Bool

        init(_ endpoint: IRCEndpoint) {
            isPrivate = endpoint.tls != nil || isLoopback(host: endpoint.host)
            showsCertificate = endpoint.tls?.clientCertificate != nil
        }
    }

    static func decodeLogin(_ map: ConfigMap, over path: LoginPath) -> Login? {
        guard map.has("sasl"), let section = map.map("sasl") else { return nil }
        defer { section.finish() }
        let mechanism = section.has("mechanism") ? section.choice("mechanism", Mechanism.self) : .auto
        let username = section.text("username")
        var login = Login(
            username: username ?? "", password: section.secret("password"), key: decodeKey(section), mechanisms: [])
        guard let mechanism else { return nil }
        let mechanisms = mechanism.named.map { [$0] } ?? configured(section, login, path)
        if username == nil, mechanisms != [.external] {
            if !section.has("username") { section.fault("username", "missing: expected text") }
            return nil
        }
        login.mechanisms = mechanisms.filter { mechanism.named != nil || fitsScram($0, login, section) }
        guard check(login, section, path) else { return nil }
        return login
    }

    /// For `auto`: what the entry has the means for.
    private static func configured(_ section: ConfigMap, _ login: Login, _ path: LoginPath) -> [SASLMechanism] {
        let hasPassword = section.has("password") || section.has("password_file")
        return SASLMechanism.allCases.filter { mechanism in
            switch mechanism {
            case .external: path.showsCertificate
            case .ecdsa: login.key != nil
            case .scramSHA256, .plain: hasPassword
            }
        }
    }

    /// Other characters would have to be normalized for SCRAM (SASLprep, RFC 4013); PLAIN sends them as they are.
    private static func fitsScram(_ mechanism: SASLMechanism, _ login: Login, _ section: ConfigMap) -> Bool {
        guard mechanism == .scramSHA256, let key = unfitForScram(login) else { return true }
        section.warn(key, "scram-sha-256 is not used: it takes only printable ASCII, and this has other characters")
        return false
    }

    /// The key whose value SCRAM can't take as it is.
    private static func unfitForScram(_ login: Login) -> String? {
        if !isPrintable(login.username) { return "username" }
        return login.password.map { isPrintable($0.value) } ?? true ? nil : "password"
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }

    /// False after a fault.
    private static func check(_ login: Login, _ section: ConfigMap, _ path: LoginPath) -> Bool {
        guard !login.mechanisms.isEmpty else {
            section.fault("password", "missing: expected a password, a key_file, or a client_certificate in tls")
            return false
        }
        return login.mechanisms.allSatisfy { check($0, login, section, path) }
    }

    private static func check(
        _ mechanism: SASLMechanism, _ login: Login, _ section: ConfigMap, _ path: LoginPath
    ) -> Bool {
        switch mechanism {
        case .external:
            guard path.showsCertificate else {
                section.fault("mechanism", "external needs tls, with a client_certificate in it")
                return false
            }
        case .ecdsa:
            guard login.key != nil else {
                if !section.has("key"), !section.has("key_file") {
                    section.fault("key_file", "missing: expected a file with a private key on the curve P-256")
                }
                return false
            }
        case .scramSHA256:
            guard hasPassword(login, section) else { return false }
            if let key = unfitForScram(login) {
                section.fault(key, "scram-sha-256 takes only printable ASCII; use another one, or plain")
                return false
            }
        case .plain:
            guard hasPassword(login, section) else { return false }
            // RFC 4616 separates the three parts by NUL.
            if login.username.utf8.contains(0) || login.password?.value.utf8.contains(0) == true {
                section.fault("username", "neither name nor password may hold a NUL")
                return false
            }
            if !path.isPrivate {
                section.fault(
                    "mechanism",
                    "plain would send the password over the network as it is; enable tls, or use scram-sha-256"
                )
                return false
            }
        }
        return true
    }

    private static func hasPassword(_ login: Login, _ section: ConfigMap) -> Bool {
        if login.password == nil, !section.has("password"), !section.has("password_file") {
            section.fault("password", "missing: expected a password")
        }
        return login.password != nil
    }

    /// Looked at here and not at the first login, so that a wrong file is told with its line.
    private static func decodeKey(_ section: ConfigMap) -> Secret? {
        guard let key = section.secret("key") else { return nil }
        do throws(P256KeyError) {
            _ = try P256Key(pem: key.value)
            return key
        } catch {
            section.fault(section.has("key") ? "key" : "key_file", "expected a private key for ECDSA: \(error.reason)")
            return nil
        }
    }

    static func decodeNickServ(_ map: ConfigMap) -> NickServ? {
        guard map.has("nickserv"), let section = map.map("nickserv") else { return nil }
        defer { section.finish() }
        let wait = section.duration("wait")
        guard let password = section.secret("password") else {
            if !section.has("password"), !section.has("password_file") {
                section.fault("password", "missing: expected a password")
            }
            return nil
        }
        return wait.map { NickServ(password: password, wait: $0) } ?? NickServ(password: password)
    }
}
