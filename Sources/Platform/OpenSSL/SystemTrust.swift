import COpenSSL
import Glibc

/// The authorities that the system trusts.
enum SystemTrust {
    /// Where there is a folder of hashed names, as on Debian, only that is used: single certificates are read from it
    /// when a chain needs them. The bundle holds the same ones, and parsing it whole takes tens of milliseconds.
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` in the environment keep their meaning.
    static func use(in context: OpaquePointer) {
        if getenv(X509_get_default_cert_file_env()) == nil, isHashed(folder) {
            SSL_CTX_set_default_verify_dir(context)
        } else {
            SSL_CTX_set_default_verify_paths(context)
        }
    }

    private static var folder: String {
        let chosen = getenv(X509_get_default_cert_dir_env()).map { String(cString: $0) }
        return chosen ?? String(cString: X509_get_default_cert_dir())
    }

    /// Whether a name looks like `4a6481c9.0`: eight hexadecimal digits and a number.
    private static func isHashed(_ folder: String) -> Bool {
        guard let entries = opendir(folder) else { return false }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let isHash = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                name[8] == UInt8(ascii: ".") && name[9] == UInt8(ascii: "0") && name[10] == 0
                    && name[..<8].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            }
            if isHash { return true }
        }
        return false
    }
}
