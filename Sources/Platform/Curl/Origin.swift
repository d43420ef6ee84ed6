import Base
import CCurl

/// The origin of a URL (RFC 6454), which decides whether it may be asked, as libcurl itself reads it.
struct Origin: Equatable {
    let scheme: String
    /// In lower case; an IPv6 address in brackets.
    let host: String
    let port: String

    /// Nil for what isn't a URL of `https:`, or of `http:` to this machine.
    init?(_ url: String) {
        // A space or control byte would be cut off or encoded by guessing.
        guard !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return nil }
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Self.part(handle, CURLUPART_SCHEME), let host = Self.part(handle, CURLUPART_HOST),
            let port = Self.part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
        guard scheme == "https" || (scheme == "http" && isLoopback(host: self.host)) else { return nil }
    }

    private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &value, flags) == CURLUE_OK, let value else { return nil }
        defer { curl_free(value) }
        return String(cString: value)
    }
}
