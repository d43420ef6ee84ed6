public import HTTP
public import JSON
public import MatrixCrypto

/// What a homeserver says to one of the machine's calls.
public enum CryptoAnswer: Equatable, Sendable {
    case body(JSONValue)
    /// It wants to know first that it is us ("User-Interactive Authentication API").
    case needsAuthentication(session: String?, flows: JSONValue)

    public static func decode(_ response: HTTPResponse) -> Result<CryptoAnswer, MatrixError> {
        let body = try? JSONValue(parsing: response.body, rules: .matrix)
        if response.status == 200, let body, body.object != nil { return .success(.body(body)) }
        // A wrong password is told by an errcode beside the flows; a token that isn't known has no flows.
        if response.status == 401, let flows = body?["flows"], flows.array != nil {
            return .success(.needsAuthentication(session: body?["session"]?.string, flows: flows))
        }
        return .failure(MatrixError(response))
    }

    /// Whether a password alone is enough.
    public static func takesPassword(_ flows: JSONValue) -> Bool {
        flows.array?.contains { $0["stages"]?.array?.map(\.string) == ["m.login.password"] } ?? false
    }
}

extension MatrixError {
    /// As the machine wants to know it. A token that ends is no fault of the call's: it comes again with the next one.
    public var cryptoFailure: CryptoFailure {
        guard case .refused(let refusal) = self, retry == .never, !isTokenRefused, !isAccountShut else {
            if case .transport(.bodyTooLarge) = self { return .refused(errcode: "M_TOO_LARGE", text: text) }
            return .transient
        }
        return .refused(errcode: refusal.code, text: refusal.text)
    }
}

extension CryptoRequest.Call {
    /// For the log.
    public var name: String {
        switch self {
        case .uploadKeys: "uploading keys"
        case .queryKeys: "asking for devices"
        case .keyChanges: "asking whose devices changed"
        case .claimKeys: "claiming one-time keys"
        case .toDevice: "sending to devices"
        case .uploadCrossSigning: "uploading cross-signing keys"
        case .uploadSignatures: "uploading signatures"
        case .accountData, .setAccountData: "account data"
        }
    }

    /// The same with the account's password in it, for a server that insists; nil for calls that never need it.
    public func authenticated(user: String, password: String, session: String?) -> CryptoRequest.Call? {
        guard case .uploadCrossSigning(.object(var keys)) = self else { return nil }
        var auth: JSONObject = [
            "type": "m.login.password", "identifier": ["type": "m.id.user", "user": .string(user)],
            "password": .string(password),
        ]
        auth["session"] = session.map { .string($0) }
        keys["auth"] = .object(auth)
        return .uploadCrossSigning(.object(keys))
    }
}
