import JSON

/// The checks of a device's keys as a server or its owner tells them ("Device keys", "POST /keys/query").
struct CheckedDevice {
    /// More are dropped: nobody has so many.
    private static let mostAlgorithms = 16
    private static let longestID = 255

    let object: JSONObject
    let id: String
    let curve25519: String
    let ed25519: String
    let algorithms: [String]

    /// Nil unless the keys name this user and the device signed them itself.
    init?(_ keys: JSONValue, of user: String, driver: any OlmDriver) {
        guard let object = keys.object, object["user_id"]?.string == user, let id = object["device_id"]?.string,
            !id.isEmpty, id.utf8.count <= Self.longestID, let all = object["keys"],
            let curve25519 = Self.key(all["curve25519:" + id]), let ed25519 = Self.key(all["ed25519:" + id]),
            SignedJSON.isSigned(object, by: user, keyID: "ed25519:" + id, key: ed25519, driver: driver)
        else { return nil }
        self.object = object
        self.id = id
        self.curve25519 = curve25519
        self.ed25519 = ed25519
        let told = object["algorithms"]?.array ?? []
        algorithms = told.prefix(Self.mostAlgorithms).compactMap(\.string).filter { name in
            name.utf8.count <= Self.longestID && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
    }

    /// Whether the owner's self-signing key signed the device.
    func isSigned(by identity: UserIdentity?, of user: String, driver: any OlmDriver) -> Bool {
        guard let key = identity?.selfSigningKey else { return false }
        return SignedJSON.isSigned(object, by: user, keyID: "ed25519:" + key, key: key, driver: driver)
    }

    func device(of user: String, isCrossSigned: Bool) -> Device {
        Device(
            user: user, id: id, curve25519: curve25519, ed25519: ed25519, algorithms: algorithms,
            isCrossSigned: isCrossSigned)
    }

    /// A public key is 32 bytes; it is kept as it would be written, so that no two texts are one key.
    static func key(_ value: JSONValue?) -> String? {
        guard let text = value?.string, text.utf8.count <= 44, let bytes = Base64.decode(text), bytes.count == 32 else {
            return nil
        }
        return text == Base64.encode(bytes) ? text : nil
    }
}
