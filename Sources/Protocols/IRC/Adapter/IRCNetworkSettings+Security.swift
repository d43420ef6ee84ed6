import Base
import OpenSSL

/// TLS of an `irc:` entry.
extension IRCNetworkSettings {
    /// On unless somebody asks for plain text. What else is set then holds for the day on which the server demands TLS.
    static func decodeTLS(_ map: ConfigMap) -> (settings: TLSSettings, isEnabled: Bool) {
        var settings = TLSSettings()
        guard map.has("tls"), let section = map.map("tls") else { return (settings, true) }
        let isEnabled = section.bool("enabled") ?? true
        settings.verifies = section.bool("verify") ?? true
        settings.caFile = section.filePath("ca_file")
        settings.pins = decodePins(section)
        settings.clientCertificate = section.filePath("client_certificate")
        settings.clientKey = section.filePath("client_key")
        if settings.clientKey != nil, settings.clientCertificate == nil {
            section.fault("client_key", "a key without a client_certificate; the certificate may hold both")
        }
        if isEnabled, !settings.verifies, settings.pins.isEmpty {
            section.warn("verify", "anybody can pose as the server; a fingerprint would prevent it")
        }
        if settings.caFile != nil, !settings.pins.isEmpty {
            section.warn("ca_file", "not looked at: the fingerprint stands in for every other check")
        }
        section.finish()
        return (settings, isEnabled)
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
}
