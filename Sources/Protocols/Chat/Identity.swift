/// How a protocol knows a person, whatever they call themselves.
public struct Identity: Hashable, Sendable {
    public enum Kind: Sendable {
        case account, host, relayed, userID
    }

    public let kind: Kind
    /// Unlike any other identity's of the network: what limits count, and what is stored.
    public let key: String

    private static let accountMark = "account:"

    /// A services account (IRC), folded.
    public static func account(_ name: String) -> Identity { Identity(kind: .account, key: accountMark + name) }

    /// Somebody who isn't logged in (IRC), by the host. A nick change changes nothing.
    public static func host(_ host: String) -> Identity { Identity(kind: .host, key: "host:" + host) }

    /// Somebody behind a relay, by the name that it gives them; both folded.
    public static func relayed(_ name: String, by relay: String) -> Identity {
        Identity(kind: .relayed, key: "relay:\(relay)/\(name)")
    }

    /// A user id (Matrix): the name and the identity are one, and nobody has a nick.
    public static func userID(_ id: String) -> Identity { Identity(kind: .userID, key: id) }

    /// The services account; nil for who isn't known by one.
    public var account: Substring? { kind == .account ? key.dropFirst(Self.accountMark.count) : nil }
}
