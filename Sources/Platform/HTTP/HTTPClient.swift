/// Why no response came. Texts hold host names, never a path, a query or a header.
public enum HTTPError: Error, Equatable, Sendable {
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
