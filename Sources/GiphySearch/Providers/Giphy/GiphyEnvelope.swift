import HTTP

/// What GIPHY's body says of itself. The HTTP status may be 200 and `meta.status` still otherwise, and no data with an empty
/// `response_id` is how GIPHY says that it is down (developers.giphy.com/docs/api/synthetic-response).
struct GiphyEnvelope: Sendable {
    var status: Int64 = 200
    var responseIDIsBlank = false
    var hasData = false
    var isEmpty = true

    func check(_ response: HTTPResponse) throws(SourceFailure) {
        try Self.check(status, "meta.status", of: response)
        guard hasData else { throw .unavailable("the answer has no data") }
        if isEmpty, responseIDIsBlank { throw .unavailable("an empty answer without response_id: the service is down") }
    }

    /// A 429 asks for ten minutes at least: `retry-after: 0` was seen, and asking on is what gets keys banned.
    static func check(_ status: Int64, _ name: String, of response: HTTPResponse) throws(SourceFailure) {
        switch status {
        case 200...299: break
        case 401, 403: throw .badKey(status: Int(status))
        case 429: throw .rateLimited(retryIn: ProviderBody.rest(after: response, atLeast: 600))
        case 400...499: throw .badRequest(status: Int(status))
        default: throw .unavailable("\(name) \(status)")
        }
    }
}
