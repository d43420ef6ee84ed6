import JSON

/// "Signing JSON": signatures are over the canonical form without `signatures` and `unsigned`.
enum SignedJSON {
    /// What is signed; nil for what has no canonical form.
    static func bytes(_ object: JSONObject) -> [UInt8]? {
        var bare = object
        bare["signatures"] = nil
        bare["unsigned"] = nil
        return try? JSONWriter.canonical(.object(bare))
    }

    static func isSigned(
        _ object: JSONObject, by user: String, keyID: String, key: String, driver: any OlmDriver
    ) -> Bool {
        guard let signature = object["signatures"]?[user]?[keyID]?.string, let bytes = bytes(object) else {
            return false
        }
        return driver.isSigned(bytes, by: key, signature: signature)
    }

    static func adding(_ signature: String, by user: String, keyID: String, to object: JSONObject) -> JSONObject {
        var all = object["signatures"]?.object ?? JSONObject()
        var ofUser = all[user]?.object ?? JSONObject()
        ofUser[keyID] = .string(signature)
        all[user] = .object(ofUser)
        var out = object
        out["signatures"] = .object(all)
        return out
    }
}
