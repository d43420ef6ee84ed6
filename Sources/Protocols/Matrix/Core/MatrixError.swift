public import HTTP
import JSON

/// Why a call brought no result.
public enum MatrixError: Error, Equatable, Sendable {
    case transport(HTTPError)
    /// The homeserver said no, in the shape of "Standard error response".
    case refused(Refusal)
    /// Neither the expected result nor a Matrix error: a proxy's HTML page, half a body. The excerpt is short.
    case unusable(status: Int, excerpt: String, retryAfter: Duration?)

    public struct Refusal: Equatable, Sendable {
        public let status: Int
        /// `M_FORBIDDEN` and the like.
        public let code: String
        public let text: String
        public let retryAfter: Duration?
        public let isSoftLogout: Bool
    }

    public enum Retry: Equatable, Sendable {
        case never
        case now
        /// After at least this long; nil where the server named no time and the caller's own growing wait counts.
        case after(Duration?)
    }

    public var retry: Retry {
        switch self {
        case .transport(.addressRefused), .transport(.redirectRefused), .transport(.bodyTooLarge): .never
        case .transport(.cancelled): .now
        case .transport(.nameLookupFailed), .transport(.connectFailed), .transport(.tlsFailed), .transport(.timedOut),
            .transport(.overloaded), .transport(.broken):
            .after(nil)
        case .refused(let refusal): refusal.retry
        // A 4xx without a Matrix code may come from a proxy in front of a server that is just starting.
        case .unusable(_, _, let wait): .after(wait)
        }
    }

    /// The access token is good for nothing (any more).
    public var isTokenRefused: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.status == 401 && ["M_UNKNOWN_TOKEN", "M_MISSING_TOKEN"].contains(refusal.code)
    }

    /// The account, or the room, has sent too much for now.
    public var isLimit: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 429 || refusal.code == "M_LIMIT_EXCEEDED"
        case .unusable(let status, _, _): status == 429
        case .transport: false
        }
    }

    /// More bytes than the server, or a proxy before it, takes.
    public var isTooLarge: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 413 || refusal.code == "M_TOO_LARGE"
        case .unusable(let status, _, _): status == 413
        case .transport: false
        }
    }

    /// The server has no such call.
    public var isUnknownCall: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.code == "M_UNRECOGNIZED" || refusal.status == 404 && refusal.code != "M_NOT_FOUND"
    }

    /// The device is still there and may log in again ("Soft logout").
    public var isSoftLogout: Bool {
        guard case .refused(let refusal) = self else { return false }
        return isTokenRefused && refusal.isSoftLogout
    }

    /// Only the homeserver's administrator can end this: asking again is no use.
    public var isAccountShut: Bool {
        guard case .refused(let refusal) = self else { return false }
        return ["M_USER_LOCKED", "M_USER_SUSPENDED", "M_USER_DEACTIVATED"].contains(refusal.code)
    }

    /// What servers answer to a `since` they don't know.
    public var isPositionRefused: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.status == 400 && ["M_UNKNOWN", "M_INVALID_PARAM"].contains(refusal.code)
    }

    /// For the log: short, in one line, without addresses.
    public var text: String {
        switch self {
        case .transport(let error): error.description
        case .refused(let refusal): "\(refusal.status) \(refusal.code): \(refusal.text)"
        case .unusable(let status, let excerpt, _): "\(status) with a body that can't be used: \(excerpt)"
        }
    }
}

extension MatrixError.Refusal {
    var retry: MatrixError.Retry {
        if status == 429 || code == "M_LIMIT_EXCEEDED" { return .after(retryAfter) }
        return status >= 500 ? .after(retryAfter) : .never
    }
}

extension MatrixError {
    /// Reads the error out of a response that isn't the expected one.
    init(_ response: HTTPResponse) {
        let header = response.header("retry-after").flatMap(seconds(inHeader:))
        guard let body = try? ErrorBody.read(response.body), let code = body.code else {
            self = .unusable(
                status: response.status, excerpt: excerpt(of: response.body), retryAfter: header)
            return
        }
        self = .refused(
            Refusal(
                status: response.status, code: cut(code, to: 64), text: cut(body.text ?? "", to: 200),
                retryAfter: header ?? body.retryAfter, isSoftLogout: body.isSoftLogout))
    }
}

/// Rate limiting: the header counts first, `retry_after_ms` is what older servers send (MSC4041).
private struct ErrorBody {
    var code: String?
    var text: String?
    var retryAfter: Duration?
    var isSoftLogout = false

    static func read(_ bytes: [UInt8]) throws(JSONError) -> ErrorBody {
        try JSONReader.read(bytes, rules: .matrix) { (reader) throws(JSONError) -> ErrorBody in
            var body = ErrorBody()
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key {
                case "errcode": body.code = try reader.stringOrSkip()
                case "error": body.text = try reader.stringOrSkip()
                case "retry_after_ms": body.retryAfter = try reader.integerOrSkip().flatMap(wait(milliseconds:))
                case "soft_logout": body.isSoftLogout = try reader.boolOrSkip() ?? false
                default: try reader.skip()
                }
            }
            return body
        }
    }
}

/// Nobody waits longer than a day for anything; bounding it keeps the arithmetic from overflowing.
private let longestWait: Int64 = 86_400

private func wait(milliseconds: Int64) -> Duration? {
    milliseconds < 0 ? nil : .milliseconds(min(milliseconds, longestWait * 1000))
}

/// A date instead of a number is not worth reading: homeservers send seconds.
private func seconds(inHeader text: String) -> Duration? {
    guard let count = Int64(text), count >= 0 else { return nil }
    return .seconds(min(count, longestWait))
}

/// The start of a body, without anything that could break a log line.
private func excerpt(of body: [UInt8]) -> String {
    body.isEmpty ? "nothing" : cut(String(decoding: body.prefix(200), as: UTF8.self), to: 80)
}

func cut(_ text: String, to count: Int) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
        guard out.unicodeScalars.count < count else { return out + "…" }
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        out.unicodeScalars.append(isControl ? " " : scalar)
    }
    return out
}

extension JSONRules {
    /// Events hold whatever people send: none of it may keep a sync from being read. So numbers may be as long as an
    /// event, halves of surrogate pairs are replaced, and nesting goes deeper than any server lets through.
    static var matrix: JSONRules {
        JSONRules(
            maximumBytes: SyncRequest.maximumBody, maximumDepth: 512, maximumNumberLength: 65_536,
            loneSurrogate: .replaced)
    }
}
