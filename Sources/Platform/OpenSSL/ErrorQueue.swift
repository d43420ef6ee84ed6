import COpenSSL

/// OpenSSL's per-thread list of errors. It is emptied before each call whose result matters, because a left-over entry
/// would be taken for that call's own.
enum ErrorQueue {
    static func clear() {
        ERR_clear_error()
    }

    /// Takes everything out and gives the last cause in OpenSSL's words, with its reason number.
    static func drain() -> (text: String, reason: Int32)? {
        var first: UInt = 0
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            if first == 0 { first = code }
        }
        guard first != 0 else { return nil }
        let text = ERR_reason_error_string(first).map { String(cString: $0) } ?? "error \(first)"
        return (text, shim_ERR_GET_REASON(first))
    }
}
