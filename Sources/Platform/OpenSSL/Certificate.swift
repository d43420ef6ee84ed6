import COpenSSL
import Glibc

/// What a message about a certificate needs to know. What it says is the peer's text: only printable ASCII of bounded
/// length gets through.
enum Certificate {
    static func fingerprint(_ certificate: OpaquePointer) -> Fingerprint {
        var bytes = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        X509_digest(certificate, EVP_sha256(), &bytes, &length)
        return Fingerprint(bytes: bytes)
    }

    static func notAfter(_ certificate: OpaquePointer) -> String { date(X509_get0_notAfter(certificate)) }
    static func notBefore(_ certificate: OpaquePointer) -> String { date(X509_get0_notBefore(certificate)) }

    static func issuer(_ certificate: OpaquePointer) -> String {
        commonName(X509_get_issuer_name(certificate)) ?? "no name"
    }

    /// DNS names and addresses the certificate is for, the first eight; without any, the subject's common name.
    static func names(_ certificate: OpaquePointer) -> [String] {
        guard let list = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            return [commonName(X509_get_subject_name(certificate))].compactMap { $0 }
        }
        let names = OpaquePointer(list)
        defer { GENERAL_NAMES_free(names) }
        return (0..<min(8, shim_GENERAL_NAMES_count(names))).compactMap { index in
            var kind: Int32 = 0
            guard let value = GENERAL_NAME_get0_value(shim_GENERAL_NAMES_at(names, index), &kind) else { return nil }
            let string = value.assumingMemoryBound(to: ASN1_STRING.self)
            let bytes = UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(string), count: Int(max(0, ASN1_STRING_length(string))))
            switch kind {
            case GEN_DNS: return printable(bytes)
            case GEN_IPADD: return address(Array(bytes))
            default: return nil
            }
        }
    }

    private static func commonName(_ name: OpaquePointer?) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let length = X509_NAME_get_text_by_NID(name, NID_commonName, &buffer, Int32(buffer.count))
        guard length > 0 else { return nil }
        return buffer.withUnsafeBytes { printable($0.bindMemory(to: UInt8.self).prefix(min(Int(length), 255))) }
    }

    private static func printable(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.prefix(255).map { (0x21...0x7E).contains($0) || $0 == 0x20 ? $0 : 0x3F }, as: UTF8.self)
    }

    private static func address(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard
            inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil
        else { return nil }
        return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> String {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unreadable date" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }
}
