/// Whom an Olm session is with. The key alone isn't enough: anybody can publish a device that claims somebody else's, and
/// what is done for theirs must not touch the sessions of the one who holds the key.
struct SessionPeer: Hashable {
    let user: String
    let identityKey: String

    /// One text for the store; a key is base64, so the first space ends it.
    var name: String { identityKey + " " + user }
}

extension SessionPeer {
    init(_ device: Device) { self.init(user: device.user, identityKey: device.curve25519) }
    init(_ recipient: SessionRecipient) { self.init(user: recipient.user, identityKey: recipient.identityKey) }

    /// Nil for what isn't a `name`.
    init?(name: String) {
        let parts = name.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(user: String(parts[1]), identityKey: String(parts[0]))
    }
}
