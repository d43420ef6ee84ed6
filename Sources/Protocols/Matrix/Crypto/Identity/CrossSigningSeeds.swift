import JSON

/// The three private keys of an account's identity ("Cross-signing"), 32 bytes each.
struct CrossSigningSeeds: Equatable {
    static let names = ["m.cross_signing.master", "m.cross_signing.self_signing", "m.cross_signing.user_signing"]
    /// Where they lie in the store.
    static let storeName = "cross_signing.seeds"

    let master: [UInt8]
    let selfSigning: [UInt8]
    let userSigning: [UInt8]

    var all: [[UInt8]] { [master, selfSigning, userSigning] }

    /// Nil unless there are three of 32 bytes.
    init?(_ seeds: [[UInt8]]) {
        guard seeds.count == 3, seeds.allSatisfy({ $0.count == 32 }) else { return nil }
        (master, selfSigning, userSigning) = (seeds[0], seeds[1], seeds[2])
    }

    init?(stored: [UInt8]) {
        guard stored.count == 96 else { return nil }
        self.init([Array(stored[..<32]), Array(stored[32..<64]), Array(stored[64...])])
    }
}

/// The same, ready to sign.
struct CrossSigningKeys {
    let master: any SigningKey
    let selfSigning: any SigningKey
    let userSigning: any SigningKey
    private let user: String

    init(_ seeds: CrossSigningSeeds, of user: String, driver: any OlmDriver) throws(CryptoError) {
        master = try olm { () throws(OlmError) in try driver.signingKey(seed: seeds.master) }
        selfSigning = try olm { () throws(OlmError) in try driver.signingKey(seed: seeds.selfSigning) }
        userSigning = try olm { () throws(OlmError) in try driver.signingKey(seed: seeds.userSigning) }
        self.user = user
    }

    /// Whether they are those that the server tells.
    func match(_ told: CheckedIdentity) -> Bool {
        told.masterKey == master.publicKey && told.selfSigningKey == selfSigning.publicKey
            && told.userSigningKey == userSigning.publicKey
    }

    /// As the device tracker knows identities.
    var identity: UserIdentity {
        UserIdentity(masterKey: master.publicKey, selfSigningKey: selfSigning.publicKey)
    }

    var masterObject: JSONObject { object("master", master) }

    func selfSigningObject() throws(CryptoError) -> JSONObject {
        try signed(object("self_signing", selfSigning), by: master)
    }
    func userSigningObject() throws(CryptoError) -> JSONObject {
        try signed(object("user_signing", userSigning), by: master)
    }

    func signed(_ object: JSONObject, by key: any SigningKey) throws(CryptoError) -> JSONObject {
        guard let bytes = SignedJSON.bytes(object) else { throw .unusableContent }
        let signature = try olm { () throws(OlmError) in try key.sign(bytes) }
        return SignedJSON.adding(signature, by: user, keyID: "ed25519:" + key.publicKey, to: object)
    }

    private func object(_ usage: String, _ key: any SigningKey) -> JSONObject {
        [
            "user_id": .string(user),
            "usage": .array([.string(usage)]),
            "keys": .object(JSONObject([.init("ed25519:" + key.publicKey, .string(key.publicKey))])),
        ]
    }
}
