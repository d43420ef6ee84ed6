public import HTTP
import JSON

/// Where a homeserver's OAuth 2.0 endpoints are ("Server metadata discovery", RFC 8414).
public struct OAuthServer: Equatable, Sendable {
    public let tokenEndpoint: String
    /// Nil where clients have to be registered by hand (RFC 7591).
    public let registrationEndpoint: String?
    /// Nil where no device can be signed in (RFC 8628).
    public let deviceEndpoint: String?

    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    public static func decode(_ response: HTTPResponse) -> Result<OAuthServer, MatrixError> {
        read(response) { (reader) throws(JSONError) -> OAuthServer? in
            let fields = try reader.texts(of: [
                "token_endpoint", "registration_endpoint", "device_authorization_endpoint",
            ])
            return fields[0].map {
                OAuthServer(tokenEndpoint: $0, registrationEndpoint: fields[1], deviceEndpoint: fields[2])
            }
        }
    }

    /// Dynamic client registration, as a client without a secret.
    public func registration(at endpoint: String, name: String, website: String) -> HTTPRequest {
        let body: JSONValue = [
            "client_name": .string(name), "client_uri": .string(website), "application_type": "native",
            "token_endpoint_auth_method": "none",
            "grant_types": [.string(Self.deviceGrant), "refresh_token"],
        ]
        return HTTPRequest(
            .post, endpoint,
            headers: [HTTPHeader("Accept", "application/json"), HTTPHeader("Content-Type", "application/json")],
            body: encoded(body), timeout: Homeserver.timeout)
    }

    /// Device authorization request (RFC 8628 section 3.1). The client makes the device's id ("Scope").
    public func deviceCode(at endpoint: String, clientID: String, deviceID: String) -> HTTPRequest {
        let scope = "urn:matrix:client:api:* urn:matrix:client:device:" + deviceID
        return form(endpoint, [(name: "client_id", value: clientID), (name: "scope", value: scope)])
    }

    /// Asks whether the person has agreed (RFC 8628 section 3.4).
    public func token(deviceCode: String, clientID: String) -> HTTPRequest {
        form(
            tokenEndpoint,
            [
                (name: "grant_type", value: Self.deviceGrant), (name: "device_code", value: deviceCode),
                (name: "client_id", value: clientID),
            ])
    }

    /// RFC 6749 section 6.
    public func token(refreshing refreshToken: String, clientID: String) -> HTTPRequest {
        form(
            tokenEndpoint,
            [
                (name: "grant_type", value: "refresh_token"), (name: "refresh_token", value: refreshToken),
                (name: "client_id", value: clientID),
            ])
    }

    private func form(_ endpoint: String, _ fields: [(name: String, value: String)]) -> HTTPRequest {
        HTTPRequest(
            .post, endpoint,
            headers: [
                HTTPHeader("Accept", "application/json"),
                HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
            ],
            body: Array(queryString(fields).utf8), timeout: Homeserver.timeout)
    }
}

extension Homeserver {
    /// Answered with M_UNRECOGNIZED by servers that have only the legacy API.
    public func authMetadata() -> HTTPRequest {
        request(.get, "/v1/auth_metadata")
    }
}

/// What a person has to be shown (RFC 8628 section 3.2). Not for printing as a whole: the device code is a secret.
public struct DeviceCode: Equatable, Sendable {
    public let deviceCode: String
    public let userCode: String
    public let page: String
    /// The page with the code in it.
    public let completePage: String?
    public let lifetime: Duration
    public let interval: Duration

    public static func decode(_ response: HTTPResponse) -> Result<DeviceCode, MatrixError> {
        OAuthRefusal.orRead(response) { (reader) throws(JSONError) -> DeviceCode? in
            var texts: [String: String] = [:]
            var numbers: [String: Int64] = [:]
            while let key = try reader.nextKey() {
                let name = key.string
                switch name {
                case "expires_in", "interval": numbers[name] = try reader.integerOrSkip()
                case "device_code", "user_code", "verification_uri", "verification_uri_complete":
                    texts[name] = try reader.stringOrSkip()
                default: try reader.skip()
                }
            }
            guard let code = texts["device_code"], let user = texts["user_code"], let page = texts["verification_uri"]
            else { return nil }
            return DeviceCode(
                deviceCode: code, userCode: user, page: page, completePage: texts["verification_uri_complete"],
                lifetime: .seconds(min(max(numbers["expires_in"] ?? 600, 1), 86_400)),
                interval: .seconds(min(max(numbers["interval"] ?? 5, 1), 300)))
        }
    }
}

/// Error responses of OAuth 2.0 have a shape of their own (RFC 6749 section 5.2); they are read as refusals with the OAuth code.
enum OAuthRefusal {
    static func orRead<Output: Sendable>(
        _ response: HTTPResponse, _ fields: (inout JSONReader) throws(JSONError) -> Output?
    ) -> Result<Output, MatrixError> {
        // A registration answers 201.
        if response.status == 201 { return Matrix.read(HTTPResponse(status: 200, body: response.body), fields) }
        guard response.status >= 400, let code = code(in: response.body) else { return Matrix.read(response, fields) }
        return .failure(
            .refused(
                MatrixError.Refusal(
                    status: response.status, code: cut(code.code, to: 64), text: cut(code.text, to: 200),
                    retryAfter: nil, isSoftLogout: false)))
    }

    private static func code(in body: [UInt8]) -> (code: String, text: String)? {
        let fields = try? JSONReader.read(body, rules: .matrix) { (reader) throws(JSONError) -> [String?] in
            try reader.beginObject()
            return try reader.texts(of: ["error", "error_description", "errcode"])
        }
        guard let fields, fields[2] == nil, let code = fields[0] else { return nil }
        return (code, fields[1] ?? "")
    }
}

extension Replies {
    public static func clientID(_ response: HTTPResponse) -> Result<String, MatrixError> {
        OAuthRefusal.orRead(response) { (reader) throws(JSONError) -> String? in
            try reader.texts(of: ["client_id"])[0]
        }
    }

    public static func oauthToken(_ response: HTTPResponse) -> Result<FreshToken, MatrixError> {
        OAuthRefusal.orRead(response) { (reader) throws(JSONError) -> FreshToken? in
            var texts: [String: String] = [:]
            var seconds: Int64?
            while let key = try reader.nextKey() {
                let name = key.string
                switch name {
                case "access_token", "refresh_token": texts[name] = try reader.stringOrSkip()
                case "expires_in": seconds = try reader.integerOrSkip()
                default: try reader.skip()
                }
            }
            return FreshToken(
                accessToken: texts["access_token"], refreshToken: texts["refresh_token"],
                milliseconds: seconds.flatMap { (1..<1 << 40).contains($0) ? $0 * 1000 : nil })
        }
    }
}

extension MatrixError {
    /// The code of an OAuth error response, such as `authorization_pending`.
    public var oauthCode: String? {
        guard case .refused(let refusal) = self, !refusal.code.hasPrefix("M_") else { return nil }
        return refusal.code
    }
}
