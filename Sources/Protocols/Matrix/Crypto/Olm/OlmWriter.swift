import JSON

/// Events encrypted for single devices.
final class OlmWriter {
    private let context: CryptoContext
    private let account: OwnAccount
    private let sessions: OlmSessions

    init(_ context: CryptoContext, _ account: OwnAccount, _ sessions: OlmSessions) {
        self.context = context
        self.account = account
        self.sessions = sessions
    }

    /// The content of an `m.room.encrypted` for this device; nil without a session.
    func encrypt(type: String, content: JSONValue, for device: Device) throws(CryptoError) -> JSONValue? {
        let peer = SessionPeer(device)
        guard try sessions.has(peer) else { return nil }
        let plaintext = try OlmPayload.plaintext(
            type: type, content: content, to: device, from: account, userID: context.userID,
            withDeviceKeys: try !sessions.isAnswered(peer))
        guard let message = try sessions.encrypt(plaintext, for: peer) else { return nil }
        let ciphertext: JSONValue = ["type": .integer(Int64(message.type)), "body": .string(message.body)]
        return [
            "algorithm": "m.olm.v1.curve25519-aes-sha2",
            "sender_key": .string(account.identityKeys.curve25519),
            "ciphertext": .object(JSONObject([.init(device.curve25519, ciphertext)])),
        ]
    }
}
