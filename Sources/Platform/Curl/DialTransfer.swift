import CCurl
import Files
import Glibc
import Net

/// Lets libcurl connect, then takes the socket over.
final class DialTransfer: Transfer {
    let id: UInt64
    let handle: EasyHandle
    let host: String
    private let target: DialTarget
    private let finish: (Result<Int32, DialError>) -> Void

    init(
        id: UInt64, target: DialTarget, url: String, handle: EasyHandle,
        finish: @escaping (Result<Int32, DialError>) -> Void
    ) {
        self.id = id
        self.target = target
        self.handle = handle
        self.finish = finish
        host = target.host
        handle.set(CURLOPT_URL, url)
        handle.set(CURLOPT_PROTOCOLS_STR, "http")
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        // Not a connection that HTTP left behind. (FORBID_REUSE would close ours before we have it, and isn't needed:
        // libcurl never uses a connection again that was only dialled.)
        handle.set(CURLOPT_FRESH_CONNECT, 1)
        // An empty text, unlike none, keeps the environment's proxy and its exceptions out.
        handle.set(CURLOPT_PROXY, target.proxy ?? "")
        handle.set(CURLOPT_NOPROXY, target.proxy == nil ? "*" : "")
        handle.set(CURLOPT_HTTPPROXYTUNNEL, target.proxy == nil ? 0 : 1)
        handle.set(CURLOPT_INTERFACE, target.bindAddress.map(Self.interface))
        handle.set(CURLOPT_TIMEOUT_MS, milliseconds(target.timeout))
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(target.timeout))
        // What a proxy says would otherwise go to standard output.
        handle.set(CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
        handle.set(CURLOPT_HEADERFUNCTION) { _, size, count, _ in size * count }
    }

    /// The target as libcurl wants it, or why it makes no sense.
    static func url(_ target: DialTarget) -> Result<String, DialError> {
        let allowed = target.host.utf8.allSatisfy { byte in
            byte > 0x20 && byte != 0x7F && !"/@?#\\[]".utf8.contains(byte)
        }
        guard !target.host.isEmpty, target.host.utf8.count <= 255, allowed else {
            return .failure(.badTarget(reason: "not a host name"))
        }
        guard (1...65535).contains(target.port) else {
            return .failure(.badTarget(reason: "\(target.port) is not a port"))
        }
        guard target.timeout > .zero else { return .failure(.timedOut(host: target.host, port: target.port)) }
        if let proxy = target.proxy, !isProxy(proxy) {
            return .failure(.badTarget(reason: "the proxy is no socks5h:, socks5: or http: address"))
        }
        if let bind = target.bindAddress, bind.isEmpty || bind.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            return .failure(.badTarget(reason: "the bind address is not an address"))
        }
        let host = target.host.utf8.contains(UInt8(ascii: ":")) ? "[\(target.host)]" : target.host
        return .success("http://\(host):\(target.port)/")
    }

    /// Said which of the two it is, because libcurl would look up any other word as a host name, on its only thread.
    private static func interface(_ bind: String) -> String {
        var room = in6_addr()
        let isAddress = inet_pton(AF_INET, bind, &room) == 1 || inet_pton(AF_INET6, bind, &room) == 1
        return (isAddress ? "host!" : "if!") + bind
    }

    private static func isProxy(_ proxy: String) -> Bool {
        !proxy.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
            && ["socks5h://", "socks5://", "http://"].contains { proxy.hasPrefix($0) && proxy != $0 }
    }

    func cancelled() {
        finish(.failure(.cancelled))
    }

    func finished(_ code: CURLcode) -> Bool {
        _ = handle.takeErrorText()
        finish(code == CURLE_OK ? takeSocket() : .failure(error(code)))
        return false
    }

    /// libcurl closes its own descriptor with the handle; ours is a second one for the same connection.
    private func takeSocket() -> Result<Int32, DialError> {
        guard let socket = handle.socket else {
            return .failure(.unreachable(host: target.host, port: target.port, reason: "closed at once"))
        }
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return .failure(systemError(Int(errno), CURLE_COULDNT_CONNECT)) }
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        return .success(descriptor)
    }

    private func error(_ code: CURLcode) -> DialError {
        let number = handle.number(CURLINFO_OS_ERRNO)
        // libcurl doesn't keep the reason when it can't make a socket.
        if number == 0, code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST, hasNoDescriptors() {
            return .outOfDescriptors
        }
        return switch code {
        case CURLE_COULDNT_RESOLVE_HOST: .nameLookupFailed(host: target.host)
        case CURLE_COULDNT_RESOLVE_PROXY: .proxyFailed(reason: "no address found for it")
        case CURLE_OPERATION_TIMEDOUT: .timedOut(host: target.host, port: target.port)
        case CURLE_INTERFACE_FAILED: .bindFailed(address: target.bindAddress ?? "")
        case CURLE_URL_MALFORMAT: .badTarget(reason: "not a host name")
        case CURLE_PROXY: .proxyFailed(reason: proxyText(handle.number(CURLINFO_PROXY_ERROR)))
        case CURLE_OUT_OF_MEMORY: .overloaded
        default: systemError(number, code)
        }
    }

    private func systemError(_ number: Int, _ code: CURLcode) -> DialError {
        if number == EMFILE || number == ENFILE { return .outOfDescriptors }
        let text = number == 0 ? curlText(code) : systemText(Int32(number))
        if target.proxy != nil {
            let status = handle.number(CURLINFO_HTTP_CONNECTCODE)
            return .proxyFailed(reason: status == 0 || status == 200 ? text : "it answered \(status)")
        }
        if number == ECONNREFUSED { return .refused(host: target.host, port: target.port) }
        return .unreachable(host: target.host, port: target.port, reason: text)
    }

    private func proxyText(_ code: Int) -> String {
        switch UInt32(code) {
        case CURLPX_REPLY_HOST_UNREACHABLE.rawValue: "host unreachable"
        case CURLPX_REPLY_NETWORK_UNREACHABLE.rawValue: "network unreachable"
        case CURLPX_REPLY_CONNECTION_REFUSED.rawValue: "connection refused"
        case CURLPX_REPLY_NOT_ALLOWED.rawValue: "not allowed"
        case CURLPX_REPLY_TTL_EXPIRED.rawValue: "no answer from the host"
        case CURLPX_RESOLVE_HOST.rawValue: "no address found for the host"
        case CURLPX_USER_REJECTED.rawValue, CURLPX_NO_AUTH.rawValue: "it does not accept us"
        default: "it does not serve (\(code))"
        }
    }
}
