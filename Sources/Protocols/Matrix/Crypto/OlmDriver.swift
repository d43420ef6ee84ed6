/// What one implementation of Olm and Megolm has to offer ("Olm: A Cryptographic Ratchet", "Megolm group ratchet"). The
/// machine knows nothing else of it, so another one can take its place.
///
/// Keys, signatures and messages are unpadded base64, as Matrix has them; a pickle is what an object leaves behind to be
/// made anew from, encrypted under the key given. Objects belong to whoever drives the machine and are used from one thread at a
/// time.
public protocol OlmDriver {
    func makeAccount() throws(OlmError) -> any OlmAccount
    func account(from pickle: [UInt8], key: [UInt8]) throws(OlmError) -> any OlmAccount

    func session(from pickle: [UInt8], key: [UInt8]) throws(OlmError) -> any OlmSession

    func makeOutboundGroupSession() throws(OlmError) -> any OutboundGroupSession
    func outboundGroupSession(from pickle: [UInt8], key: [UInt8]) throws(OlmError) -> any OutboundGroupSession

    /// From the `session_key` of an `m.room_key`.
    func inboundGroupSession(sessionKey: String) throws(OlmError) -> any InboundGroupSession
    /// From the `session_key` of an `m.forwarded_room_key`: it carries no signature.
    func inboundGroupSession(exported sessionKey: String) throws(OlmError) -> any InboundGroupSession
    func inboundGroupSession(from pickle: [UInt8], key: [UInt8]) throws(OlmError) -> any InboundGroupSession

    /// Ed25519 over a seed of 32 bytes, for cross-signing.
    func signingKey(seed: [UInt8]) throws(OlmError) -> any SigningKey
    /// Whether `key` made the Ed25519 signature; false for what is no key or no signature too.
    func isSigned(_ message: [UInt8], by key: String, signature: String) -> Bool

    func makeShortAuthentication() throws(OlmError) -> any ShortAuthentication
}

/// A device's own keys ("Device keys", "One-time and fallback keys").
public protocol OlmAccount: AnyObject {
    var identityKeys: IdentityKeys { get }
    /// As many as can be kept unused; beyond that the oldest are dropped.
    var maximumOneTimeKeys: Int { get }

    func sign(_ message: [UInt8]) throws(OlmError) -> String

    func generateOneTimeKeys(_ count: Int) throws(OlmError)
    /// Those that `markKeysAsPublished` has not seen, by key id.
    func unpublishedOneTimeKeys() throws(OlmError) -> [PublicKey]
    func generateFallbackKey() throws(OlmError)
    func unpublishedFallbackKey() throws(OlmError) -> PublicKey?
    /// The one before the newest; sessions that begin with it can't be read any more.
    func forgetOldFallbackKey()
    func markKeysAsPublished()

    func outboundSession(with identityKey: String, oneTimeKey: String) throws(OlmError) -> any OlmSession
    /// From a message of type 0; the one-time key stays until `removeOneTimeKeys`.
    func inboundSession(from identityKey: String, message: OlmMessage) throws(OlmError) -> any OlmSession
    func removeOneTimeKeys(usedBy session: any OlmSession) throws(OlmError)

    func pickle(key: [UInt8]) throws(OlmError) -> [UInt8]
}

/// A ratchet between two devices (`m.olm.v1.curve25519-aes-sha2`).
public protocol OlmSession: AnyObject {
    var id: String { get }
    /// Whether a message of theirs has been read: from then on ours are of type 1.
    var hasReceivedMessage: Bool { get }

    func encrypt(_ plaintext: [UInt8]) throws(OlmError) -> OlmMessage
    func decrypt(_ message: OlmMessage) throws(OlmError) -> [UInt8]
    /// Whether a message of type 0 belongs to this session.
    func matches(_ message: OlmMessage, from identityKey: String) -> Bool
    func pickle(key: [UInt8]) throws(OlmError) -> [UInt8]
}

/// Our ratchet in a room (`m.megolm.v1.aes-sha2`).
public protocol OutboundGroupSession: AnyObject {
    var id: String { get }
    /// Of the next message.
    var messageIndex: UInt32 { get }
    /// What others need to read from the next message on. A secret.
    func sessionKey() throws(OlmError) -> String

    func encrypt(_ plaintext: [UInt8]) throws(OlmError) -> String
    func pickle(key: [UInt8]) throws(OlmError) -> [UInt8]
}

/// Somebody's ratchet in a room.
public protocol InboundGroupSession: AnyObject {
    var id: String { get }
    /// Earlier messages can't be read.
    var firstKnownIndex: UInt32 { get }

    func decrypt(_ ciphertext: String) throws(OlmError) -> GroupPlaintext
    func pickle(key: [UInt8]) throws(OlmError) -> [UInt8]
}

/// One of the three keys of cross-signing.
public protocol SigningKey: AnyObject {
    var publicKey: String { get }
    func sign(_ message: [UInt8]) throws(OlmError) -> String
}

/// The mathematics of verification by short strings ("Short Authentication String (SAS) verification").
public protocol ShortAuthentication: AnyObject {
    var publicKey: String { get }
    func setTheirKey(_ key: String) throws(OlmError)
    func bytes(_ count: Int, info: String) throws(OlmError) -> [UInt8]
    /// `hkdf-hmac-sha256.v2`.
    func authenticationCode(of message: String, info: String) throws(OlmError) -> String
}

public struct IdentityKeys: Equatable, Sendable {
    public let curve25519: String
    public let ed25519: String

    public init(curve25519: String, ed25519: String) {
        self.curve25519 = curve25519
        self.ed25519 = ed25519
    }
}

public struct PublicKey: Equatable, Sendable {
    public let id: String
    public let key: String

    public init(id: String, key: String) {
        self.id = id
        self.key = key
    }
}

public struct OlmMessage: Equatable, Sendable {
    /// 0 begins a session, 1 is of one that both know.
    public let type: Int
    public let body: String

    public init(type: Int, body: String) {
        self.type = type
        self.body = body
    }
}

public struct GroupPlaintext: Equatable, Sendable {
    public let bytes: [UInt8]
    public let index: UInt32

    public init(bytes: [UInt8], index: UInt32) {
        self.bytes = bytes
        self.index = index
    }
}

/// What went wrong in the library, in words fit for a log: never a key.
public struct OlmError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The message is damaged, or not for this session.
        case badMessage
        /// It was made with a one-time key that was used up, or that never was ours.
        case unknownOneTimeKey
        /// The index lies before the first that this session can read.
        case unknownMessageIndex
        /// The pickle was made under another key.
        case wrongPickleKey
        case badPickle
        case badKey
        /// The library itself isn't there; the text is a sentence that says what to do.
        case notInstalled
        case other
    }

    public let reason: Reason
    /// The library's own word, such as `BAD_MESSAGE_MAC`.
    public let text: String

    public init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }
}
