import HTTP
import JSON

/// Builds requests to one homeserver (Matrix client-server API). It does no I/O and is a value.
///
/// The access token goes into the Authorization header and nowhere else ("Using access tokens").
public struct Homeserver: Equatable, Sendable {
    /// Without a slash at the end.
    public let baseURL: String
    private let accessToken: String?

    public init(baseURL: String, accessToken: String? = nil) {
        var base = baseURL
        while base.utf8.last == UInt8(ascii: "/") { base.removeLast() }
        self.baseURL = base
        self.accessToken = accessToken
    }

    public func with(accessToken: String) -> Homeserver {
        Homeserver(baseURL: baseURL, accessToken: accessToken)
    }

    /// For everything that answers at once.
    static let timeout: Duration = .seconds(30)

    func request(
        _ method: HTTPRequest.Method, _ path: String, query: [(name: String, value: String)] = [],
        body: JSONValue? = nil, timeout: Duration = timeout, maximumBody: Int = 1 << 20
    ) -> HTTPRequest {
        var headers = [HTTPHeader("Accept", "application/json")]
        if let accessToken { headers.append(HTTPHeader("Authorization", "Bearer " + accessToken)) }
        if body != nil { headers.append(HTTPHeader("Content-Type", "application/json")) }
        let url = baseURL + "/_matrix/client" + path + (query.isEmpty ? "" : "?" + queryString(query))
        return HTTPRequest(
            method, url, headers: headers, body: body.map(encoded), timeout: timeout, maximumBody: maximumBody)
    }
}

extension Homeserver: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { baseURL }
    public var debugDescription: String { baseURL }
}

/// What this target builds holds texts, booleans and small whole numbers, two or three levels deep: nothing that
/// canonical JSON refuses.
func encoded(_ value: JSONValue) -> [UInt8] {
    (try? JSONWriter.canonical(value)) ?? Array("{}".utf8)
}
