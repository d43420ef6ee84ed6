public struct HTTPHeader: Equatable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What to ask of an HTTP server. A value: whoever builds it does no I/O.
public struct HTTPRequest: Equatable, Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    public var method: Method
    /// `https:`, or `http:` to a loopback address; anything else is refused before it is sent.
    public var url: String
    public var headers: [HTTPHeader]
    public var body: [UInt8]?
    /// For the whole exchange, connecting included.
    public var timeout: Duration
    /// The transfer is cut off when the body grows past this many bytes, whatever was announced.
    public var maximumBody: Int
    /// A redirect to another host, or from https to http, is refused always; one on the same host only if false.
    public var followsRedirects: Bool

    public init(
        _ method: Method, _ url: String, headers: [HTTPHeader] = [], body: [UInt8]? = nil, timeout: Duration,
        maximumBody: Int = 1 << 20, followsRedirects: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumBody = maximumBody
        self.followsRedirects = followsRedirects
    }
}

public struct HTTPResponse: Equatable, Sendable {
    public let status: Int
    /// Names in lower case.
    public let headers: [HTTPHeader]
    public let body: [UInt8]

    public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name (given in lower case).
    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}
