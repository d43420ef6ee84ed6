import CCurl

/// One libcurl handle and its error text. Lives on curl's thread.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// Nil when there is no memory.
    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        errorText.pointee = 0
        set(CURLOPT_ERRORBUFFER, pointer: errorText)
        // No signals, and a thread that still looks a name up isn't waited for when the transfer is cancelled.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
    }

    deinit {
        curl_easy_cleanup(pointer)
        errorText.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) {
        _ = shim_setopt_long(pointer, option, value)
    }

    func set(_ option: CURLoption, size: Int) {
        _ = shim_setopt_size(pointer, option, curl_off_t(size))
    }

    /// libcurl keeps its own copy of a text.
    func set(_ option: CURLoption, _ text: String?) {
        _ = shim_setopt_text(pointer, option, text)
    }

    func set(_ option: CURLoption, pointer value: UnsafeRawPointer?) {
        _ = shim_setopt_pointer(pointer, option, value)
    }

    func set(_ option: CURLoption, callback: @escaping curl_write_callback) {
        _ = shim_setopt_callback(pointer, option, callback)
    }

    func set(seek callback: @escaping curl_seek_callback) {
        _ = shim_setopt_seek(pointer, callback)
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return shim_getinfo_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    func size(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        return shim_getinfo_size(pointer, info, &value) == CURLE_OK ? Int(value) : -1
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard shim_getinfo_text(pointer, info, &value) == CURLE_OK, let value else { return nil }
        return String(cString: value)
    }

    var socket: Int32? {
        var value: curl_socket_t = -1
        return shim_getinfo_socket(pointer, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK && value >= 0 ? value : nil
    }

    /// libcurl's own words for what went wrong, which may quote the peer; printable and short.
    func takeErrorText() -> String? {
        defer { errorText.pointee = 0 }
        let text = String(cString: errorText)
        guard !text.isEmpty else { return nil }
        return String(
            decoding: text.utf8.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}

/// libcurl's constant text for a result.
func curlText(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }
