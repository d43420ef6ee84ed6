public import JSON

/// What a homeserver tells of one's own device, for somebody who looks from outside (`/keys/query` of the own user).
public struct OwnDeviceReport: Equatable, Sendable {
    /// Nil when the server has none.
    public let keys: IdentityKeys?
    public let hasIdentity: Bool
    /// By the account's own self-signing key.
    public let isSigned: Bool

    public init(_ answer: JSONValue, user: String, device: String, driver: any OlmDriver) {
        let identity = CheckedIdentity(answer, of: user, driver: driver)
        hasIdentity = identity != nil
        let told = answer["device_keys"]?[user]?[device]
        guard let told, let checked = CheckedDevice(told, of: user, driver: driver), checked.id == device else {
            keys = nil
            isSigned = false
            return
        }
        keys = IdentityKeys(curve25519: checked.curve25519, ed25519: checked.ed25519)
        let chain = identity.map { UserIdentity(masterKey: $0.masterKey, selfSigningKey: $0.selfSigningKey) }
        isSigned = checked.isSigned(by: chain, of: user, driver: driver)
    }

    /// In words for the operator. `stored`: the keys in the state folder, if they can be read.
    public func finding(device: String, stored: IdentityKeys?) -> (isGood: Bool, text: String) {
        guard let keys else {
            return stored == nil
                ? (true, "encryption: the device \(device) has no keys yet; gifbot run makes them")
                : (
                    true,
                    "encryption: the keys of the device \(device) are not on the server yet; gifbot run uploads them"
                )
        }
        if let stored, stored != keys {
            return (
                false,
                """
                encryption: the server has other keys of the device \(device) than the state folder; it can't read \
                anything any more, and a new device is needed (docs/encryption.md)
                """
            )
        }
        let match =
            stored == nil ? "has keys on the server, and none in the state folder here" : "has its keys on the server"
        guard hasIdentity else {
            return (
                false,
                "encryption: the device \(device) \(match); the account has no cross-signing keys, so it is unsigned"
            )
        }
        guard isSigned else {
            return (
                false,
                """
                encryption: the device \(device) \(match), but its account hasn't signed it: many clients neither give it \
                keys nor show what it says (docs/encryption.md)
                """
            )
        }
        return (stored != nil, "encryption: the device \(device) \(match), and is signed by its account")
    }
}
