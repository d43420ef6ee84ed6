import Base
import OpenSSL

/// TLS and logins of an `irc:` entry.
extension IRCNetworkSettings {
    private enum Mechanism: String, CaseIterable {
        case auto, plain, external
        case scramSHA256 = "scram-sha-256"
        case ecdsa = "ecdsa-nist256p-challenge"
    }

    /// nil is plain text, which somebody has to ask for.
    static func decodeTLS(_ map: ConfigMap) -> TLSSettings? {
        guard map.has("tls"), let section = map.map("tls") else { return TLSSettings() }
        var settings = TLSSettings()
        let isEnabled = section.bool("enabled") ?? true
        settings.verifies = section.bool("verify") ?? true
        settings.caFile = section.filePath("ca_file")
        settings.pins = decodePins(section)
        settings.clientCertificate = section.filePath("client_certificate")
        settings.clientKey = section.filePath("client_key")
        if isEnabled, !settings.verifies, settings.pins.isEmpty {
            section.warn("verify", "anybody can pose as the server; a fingerprint would prevent it")
        }
        section.finish()
        return isEnabled ? settings : nil
    }

    /// One fingerprint or a list of them.
    private static func decodePins(_ section: ConfigMap) -> [Fingerprint] {
        guard let node = section.node("fingerprint") else { return [] }
        let texts: [String]
        if case .list = node.value {
            texts = section.texts("fingerprint") ?? []
        } else {
            texts = section.text("fingerprint").map { [$0] } ?? []
        }
        return texts.compactMap { text in
            guard let pin = Fingerprint(text) else {
                section.fault("fingerprint", "expected the SHA-256 of a certificate: 64 hexadecimal digits")
                return nil
            }
            return pin
        }
    }

    /// A named mechanism is never exchanged for a weaker one: what isn't built yet is a fault.
    static func decodeLogin(_ map: ConfigMap) -> Login? {
        guard map.has("sasl"), let section = map.map("sasl") else { return nil }
        defer { section.finish() }
        let mechanism = section.choice("mechanism", Mechanism.self) ?? .auto
        let username = section.requiredText("username")
        let password = section.secret("password")
        let keyFile = section.filePath("key_file")
        switch mechanism {
        case .external, .scramSHA256, .ecdsa:
            section.fault("mechanism", "\(mechanism.rawValue) is not available yet; use auto or plain")
            return nil
        case .auto, .plain: break
        }
        if keyFile != nil { section.fault("key_file", "only ecdsa-nist256p-challenge, not available yet, uses a key") }
        guard let username, let password else {
            if password == nil, !section.has("password"), !section.has("password_file") {
                section.fault("password", "missing: expected a password")
            }
            return nil
        }
        // RFC 4616 separates the three parts by NUL.
        if username.utf8.contains(0) || password.value.utf8.contains(0) {
            section.fault("username", "neither name nor password may hold a NUL")
            return nil
        }
        return Login(username: username, password: password)
    }

    static func decodeNickServ(_ map: ConfigMap) -> Secret? {
        guard map.has("nickserv"), let section = map.map("nickserv") else { return nil }
        let password = section.secret("password")
        if password == nil, !section.has("password"), !section.has("password_file") {
            section.fault("password", "missing: expected a password")
        }
        section.finish()
        return password
    }
}
