public import JSON

/// What opens a file that was uploaded encrypted: the `file` of a message ("Sending encrypted attachments", `EncryptedFile`
/// version v2). A secret, but for the place and the hash.
public struct EncryptedFile: Equatable, Sendable {
    /// 32 bytes, for AES-256-CTR.
    public let key: [UInt8]
    /// The first counter block, 16 bytes.
    public let iv: [UInt8]
    /// Of what was uploaded, not of what is in it.
    public let sha256: [UInt8]

    init(key: [UInt8], iv: [UInt8], sha256: [UInt8]) {
        self.key = key
        self.iv = iv
        self.sha256 = sha256
    }

    /// With the place that the upload got (`mxc://`).
    public func json(url: String) -> JSONValue {
        [
            "v": "v2",
            "url": .string(url),
            "key": [
                "kty": "oct", "alg": "A256CTR", "ext": true, "key_ops": ["encrypt", "decrypt"],
                "k": .string(Base64.encode(key, .urlSafe)),
            ],
            "iv": .string(Base64.encode(iv)),
            "hashes": ["sha256": .string(Base64.encode(sha256))],
        ]
    }

    /// Nil for another version or way of encryption, and for what lacks a piece.
    public init?(_ json: JSONValue) {
        guard json["v"]?.string == "v2", let jwk = json["key"],
            jwk["kty"]?.string == "oct", jwk["alg"]?.string == "A256CTR", jwk["ext"]?.bool == true,
            jwk["key_ops"]?.array?.contains("decrypt") == true,
            let key = jwk["k"]?.string.flatMap({ Base64.decode($0, .urlSafe) }), key.count == 32,
            let iv = json["iv"]?.string.flatMap({ Base64.decode($0) }), iv.count == 16,
            let sha256 = json["hashes"]?["sha256"]?.string.flatMap({ Base64.decode($0) }), sha256.count == 32
        else { return nil }
        self.init(key: key, iv: iv, sha256: sha256)
    }
}
