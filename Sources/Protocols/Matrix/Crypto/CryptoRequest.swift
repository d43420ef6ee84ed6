public import JSON

/// A call that the machine wants made. It is given out by `requests` until it is answered or given up.
public struct CryptoRequest: Equatable, Sendable {
    public enum Call: Equatable, Sendable {
        /// POST /keys/upload.
        case uploadKeys(JSONValue)
        /// POST /keys/query.
        case queryKeys(users: [String])
        /// GET /keys/changes.
        case keyChanges(from: String, to: String)
        /// POST /keys/claim: users, their devices, of each one signed_curve25519 key.
        case claimKeys([String: [String]])
        /// PUT /sendToDevice/{type}/{txnId}.
        case toDevice(type: String, transaction: String, messages: JSONValue)
        /// POST /keys/device_signing/upload.
        case uploadCrossSigning(JSONValue)
        /// POST /keys/signatures/upload.
        case uploadSignatures(JSONValue)
        /// GET and PUT /user/{userId}/account_data/{type}.
        case accountData(type: String)
        case setAccountData(type: String, JSONValue)
    }

    public let id: UInt64
    public let call: Call

    public init(id: UInt64, call: Call) {
        self.id = id
        self.call = call
    }
}

/// How a call ended that wasn't answered with 200.
public enum CryptoFailure: Equatable, Sendable {
    /// No answer, a limit or a fault of the server's: it may be asked again.
    case transient
    /// Refused for good, with the server's errcode (`M_UNKNOWN`); 404 is `M_NOT_FOUND`.
    case refused(errcode: String, text: String)
    /// 401 with flows to choose from ("User-Interactive Authentication API").
    case needsAuthentication(session: String?, flows: JSONValue)
}
