public import HTTP
import JSON

/// What a login or a refresh gives. Not for printing: it holds the tokens.
public struct FreshToken: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public let accessToken: String
    /// For the next refresh; nil where the one used goes on, or none is needed.
    public let refreshToken: String?
    /// From now; nil for a token without an end.
    public let lifetime: Duration?

    public var description: String { "a token" }
    public var debugDescription: String { description }

    /// Whoever says more than a year means no end; bounding it keeps the arithmetic from overflowing.
    private static let longest: Int64 = 366 * 86_400 * 1000

    init?(accessToken: String?, refreshToken: String?, milliseconds: Int64?) {
        guard let accessToken, isToken(accessToken) else { return nil }
        self.accessToken = accessToken
        self.refreshToken = refreshToken.flatMap { isToken($0) ? $0 : nil }
        lifetime = milliseconds.flatMap { $0 > 0 && $0 < Self.longest ? .milliseconds($0) : nil }
    }
}

/// It becomes part of a header, a form and a file of lines.
private func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 16_384 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
}

extension Homeserver {
    /// Refreshing access tokens. The old pair lives until the new one is used.
    public func refresh(_ refreshToken: String) -> HTTPRequest {
        request(.post, "/v3/refresh", body: ["refresh_token": .string(refreshToken)])
    }
}

extension Replies {
    public static func refreshed(_ response: HTTPResponse) -> Result<FreshToken, MatrixError> {
        read(response) { (reader) throws(JSONError) -> FreshToken? in
            var fields = LoginFields()
            try fields.read(&reader)
            return fields.token
        }
    }

    public static func logIn(_ response: HTTPResponse) -> Result<Login, MatrixError> {
        read(response) { (reader) throws(JSONError) -> Login? in
            var fields = LoginFields()
            try fields.read(&reader)
            guard let user = fields.user, let device = fields.device, let token = fields.token else { return nil }
            return Login(userID: user, deviceID: device, token: token)
        }
    }
}

/// What the legacy API answers to both.
private struct LoginFields {
    var user: String?
    var device: String?
    private var access: String?
    private var refresh: String?
    private var milliseconds: Int64?

    var token: FreshToken? { FreshToken(accessToken: access, refreshToken: refresh, milliseconds: milliseconds) }

    mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        while let key = try reader.nextKey() {
            switch key {
            case "user_id": user = try reader.stringOrSkip()
            case "device_id": device = try reader.stringOrSkip()
            case "access_token": access = try reader.stringOrSkip()
            case "refresh_token": refresh = try reader.stringOrSkip()
            case "expires_in_ms": milliseconds = try reader.integerOrSkip()
            default: try reader.skip()
            }
        }
    }
}
