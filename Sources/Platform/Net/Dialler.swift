public import Base

/// Makes connections. Look-up, both address families raced, proxies and the deadline are its business; TLS is not.
@Loop public protocol Dialler: AnyObject, Sendable {
    /// A connected, non-blocking, close-on-exec socket that the caller owns and must close.
    func dial(_ target: DialTarget) async throws(DialError) -> Int32
}

public struct DialTarget: Equatable, Sendable {
    /// A name, or an IP address without brackets.
    public var host: String
    public var port: Int
    /// `socks5h://…`, `socks5://…` or `http://…`; may hold a password, so it is never shown. The environment's
    /// proxies are not used.
    public var proxy: String?
    /// A local address or interface to connect from.
    public var bindAddress: String?
    /// For everything together.
    public var timeout: Duration

    public init(
        host: String, port: Int, proxy: String? = nil, bindAddress: String? = nil, timeout: Duration = .seconds(30)
    ) {
        self.host = host
        self.port = port
        self.proxy = proxy
        self.bindAddress = bindAddress
        self.timeout = timeout
    }
}

extension DialTarget: CustomStringConvertible {
    /// Without the proxy.
    public var description: String { "\(host):\(port)" }
}

/// Why there is no connection. Texts name the host, never the proxy's address, which may hold a password.
public enum DialError: Error, Equatable, Sendable, CustomStringConvertible {
    case nameLookupFailed(host: String)
    case refused(host: String, port: Int)
    case timedOut(host: String, port: Int)
    case unreachable(host: String, port: Int, reason: String)
    case proxyFailed(reason: String)
    case bindFailed(address: String)
    /// Host, port, proxy or bind address make no sense.
    case badTarget(reason: String)
    case outOfDescriptors
    case cancelled
    /// The dialler is full, or shutting down.
    case overloaded

    public var description: String {
        switch self {
        case .nameLookupFailed(let host): "no address found for \(host)"
        case .refused(let host, let port): "\(host):\(port) refused the connection"
        case .timedOut(let host, let port): "\(host):\(port) did not answer in time"
        case .unreachable(let host, let port, let reason): "\(host):\(port) cannot be reached: \(reason)"
        case .proxyFailed(let reason): "the proxy failed: \(reason)"
        case .bindFailed(let address): "cannot connect from \(address)"
        case .badTarget(let reason): reason
        case .outOfDescriptors: NetError.outOfDescriptors.description
        case .cancelled: "cancelled"
        case .overloaded: "too many connections are being made"
        }
    }
}
