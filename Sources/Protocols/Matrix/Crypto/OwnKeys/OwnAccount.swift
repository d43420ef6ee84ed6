import JSON

/// This device's keys: made once, kept in the store, never changed.
final class OwnAccount {
    let identityKeys: IdentityKeys
    let keys: any OlmAccount
    private let context: CryptoContext
    /// The homeserver has the device keys.
    var isUploaded: Bool { didSet { isChanged = true } }
    private var isChanged = false
    /// Signatures on the device keys by others than the device: the self-signing key's, by key id.
    var otherSignatures: [(keyID: String, signature: String)] = []

    init(_ context: CryptoContext) throws(CryptoError) {
        self.context = context
        if let stored = try context.store.account() {
            guard stored.userID == context.userID, stored.deviceID == context.deviceID else { throw .otherIdentity }
            keys = try olm { () throws(OlmError) in
                try context.driver.account(from: stored.pickle, key: context.pickleKey)
            }
            isUploaded = stored.isUploaded
        } else {
            keys = try olm { () throws(OlmError) in try context.driver.makeAccount() }
            isUploaded = false
            isChanged = true
        }
        identityKeys = keys.identityKeys
        try flush()
        try context.save()
    }

    /// The keys changed; the step's end writes them.
    func changed() { isChanged = true }

    func flush() throws(CryptoError) {
        guard isChanged else { return }
        let pickle = try olm { () throws(OlmError) in try keys.pickle(key: context.pickleKey) }
        context.changes.account = StoredAccount(
            userID: context.userID, deviceID: context.deviceID, pickle: pickle, isUploaded: isUploaded)
        isChanged = false
    }

    func signed(_ object: JSONObject) throws(CryptoError) -> JSONObject {
        guard let bytes = SignedJSON.bytes(object) else { throw .unusableContent }
        let signature = try olm { () throws(OlmError) in try keys.sign(bytes) }
        return SignedJSON.adding(signature, by: context.userID, keyID: keyID, to: object)
    }

    var keyID: String { "ed25519:" + context.deviceID }

    /// `DeviceKeys`, signed by the device and by whoever signed it since.
    func deviceKeys() throws(CryptoError) -> JSONObject {
        if let known = signedDeviceKeys { return with(known) }
        let object: JSONObject = [
            "user_id": .string(context.userID),
            "device_id": .string(context.deviceID),
            "algorithms": ["m.olm.v1.curve25519-aes-sha2", "m.megolm.v1.aes-sha2"],
            "keys": .object(
                JSONObject([
                    .init(keyID, .string(identityKeys.ed25519)),
                    .init("curve25519:" + context.deviceID, .string(identityKeys.curve25519)),
                ])),
        ]
        let known = try signed(object)
        signedDeviceKeys = known
        return with(known)
    }

    private var signedDeviceKeys: JSONObject?

    private func with(_ object: JSONObject) -> JSONObject {
        otherSignatures.reduce(object) {
            SignedJSON.adding($1.signature, by: context.userID, keyID: $1.keyID, to: $0)
        }
    }
}

/// The library's errors as the machine's.
func olm<Value>(_ work: () throws(OlmError) -> Value) throws(CryptoError) -> Value {
    do {
        return try work()
    } catch {
        throw .olm(error)
    }
}
