import COpenSSL

/// AES with a key of 32 bytes in counter mode (NIST SP 800-38A section 6.5). Encryption and decryption are the same.
public enum AES256CTR {
    public static let keyByteCount = 32
    /// The first counter block.
    public static let ivByteCount = 16

    /// Nil for a key or a counter of another length.
    public static func apply(key: [UInt8], iv: [UInt8], to bytes: [UInt8]) -> [UInt8]? {
        guard key.count == keyByteCount, iv.count == ivByteCount, let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        guard EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, iv) == 1 else { return nil }
        var out = [UInt8](repeating: 0, count: bytes.count)
        // OpenSSL counts in Int32.
        let largest = 1 << 30
        var done = 0
        let isDone = bytes.withUnsafeBufferPointer { bytes in
            out.withUnsafeMutableBufferPointer { out in
                guard let from = bytes.baseAddress, let to = out.baseAddress else { return true }
                while done < bytes.count {
                    let count = min(bytes.count - done, largest)
                    var written: Int32 = 0
                    guard EVP_EncryptUpdate(context, to + done, &written, from + done, Int32(count)) == 1,
                        written == count
                    else { return false }
                    done += count
                }
                return true
            }
        }
        return isDone ? out : nil
    }
}
