import JSON

/// The cross-signing keys of a user as a server tells them ("Cross-signing").
struct CheckedIdentity {
    let masterKey: String
    /// Nil when there is none that the master key signed.
    let selfSigningKey: String?
    /// Of one's own user alone.
    let userSigningKey: String?
    let master: JSONObject

    /// Nil when the user has no usable master key.
    init?(_ answer: JSONValue, of user: String, driver: any OlmDriver) {
        guard let (master, key) = Self.key("master", in: answer["master_keys"]?[user], of: user) else { return nil }
        self.master = master
        masterKey = key
        func signed(_ usage: String, _ part: String) -> String? {
            guard let (object, told) = Self.key(usage, in: answer[part]?[user], of: user),
                SignedJSON.isSigned(object, by: user, keyID: "ed25519:" + key, key: key, driver: driver)
            else { return nil }
            return told
        }
        selfSigningKey = signed("self_signing", "self_signing_keys")
        userSigningKey = signed("user_signing", "user_signing_keys")
    }

    /// One key, named by itself, of this user and for this use.
    private static func key(_ usage: String, in value: JSONValue?, of user: String) -> (JSONObject, String)? {
        guard let object = value?.object, object["user_id"]?.string == user,
            object["usage"]?.array?.contains(.string(usage)) ?? false,
            let members = object["keys"]?.object?.members, members.count == 1, let member = members.first,
            let key = CheckedDevice.key(member.value), member.key == "ed25519:" + key
        else { return nil }
        return (object, key)
    }
}
