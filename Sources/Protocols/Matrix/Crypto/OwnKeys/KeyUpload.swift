import JSON

/// What `POST /keys/upload` gets: everything of ours that the homeserver hasn't confirmed. Made again after a restart it is
/// the same, down to the signatures, so the server takes it a second time.
struct KeyUpload {
    let body: JSONValue
    let hasDeviceKeys: Bool
    let hasFallbackKey: Bool

    /// Nil when the server has everything.
    init?(_ account: OwnAccount) throws(CryptoError) {
        var body = JSONObject()
        hasDeviceKeys = !account.isUploaded
        if hasDeviceKeys { body["device_keys"] = .object(try account.deviceKeys()) }

        let oneTime = try olm { () throws(OlmError) in try account.keys.unpublishedOneTimeKeys() }
        var members: [JSONObject.Member] = []
        for key in oneTime {
            let signed = try account.signed(["key": .string(key.key)])
            members.append(JSONObject.Member(Self.algorithm + ":" + key.id, .object(signed)))
        }
        if !members.isEmpty { body["one_time_keys"] = .object(JSONObject(members)) }

        let fallback = try olm { () throws(OlmError) in try account.keys.unpublishedFallbackKey() }
        hasFallbackKey = fallback != nil
        if let fallback {
            let signed = try account.signed(["key": .string(fallback.key), "fallback": true])
            body["fallback_keys"] = .object(JSONObject([.init(Self.algorithm + ":" + fallback.id, .object(signed))]))
        }
        guard !body.members.isEmpty else { return nil }
        self.body = .object(body)
    }

    static let algorithm = "signed_curve25519"
}
