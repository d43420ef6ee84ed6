/// Why no response came. Texts hold host names, never a path, a query or a header.
public enum HTTPError: Error, Equatable, Sendable, CustomStringConvertible {
    case nameLookupFailed(host: String)
    case connectFailed(host: String, reason: String)
    case tlsFailed(host: String, reason: String)
    case timedOut(host: String)
    case bodyTooLarge(limit: Int)
    case redirectRefused(host: String)
    /// The address is no URL, or not https (or http to loopback).
    case addressRefused
    /// The client is full, or shutting down.
    case overloaded
    case cancelled
    case broken(host: String, reason: String)

    public var description: String {
        switch self {
        case .nameLookupFailed(let host): "no address found for \(host)"
        case .connectFailed(let host, let reason): "can't connect to \(host): \(reason)"
        case .tlsFailed(let host, let reason): "TLS with \(host) failed: \(reason)"
        case .timedOut(let host): "\(host) did not answer in time"
        case .bodyTooLarge(let limit): "the answer is larger than \(limit) bytes"
        case .redirectRefused(let host): "\(host) redirects elsewhere, which is not followed"
        case .addressRefused: "the address is not allowed"
        case .overloaded: "too many transfers at once"
        case .cancelled: "cancelled"
        case .broken(let host, let reason): "the transfer with \(host) broke off: \(reason)"
        }
    }
}

/// Sends requests off the loop.
public protocol HTTPClient: Sendable {
    /// Sends, and decodes on the client's own thread before the one hop back; cancelling the task cancels the transfer.
    func send<Output: Sendable>(
        _ request: HTTPRequest, decode: @escaping @Sendable (HTTPResponse) -> Output
    ) async throws(HTTPError) -> Output
}

extension HTTPClient {
    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        try await send(request, decode: { $0 })
    }
}
