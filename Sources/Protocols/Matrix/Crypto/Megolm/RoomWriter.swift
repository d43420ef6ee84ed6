import JSON

/// Encrypts our messages for rooms.
final class RoomWriter {
    /// So that the event stays below 65,536 bytes once it is base64 and has everything else around it.
    static let largestPlaintext = 44_000

    private let context: CryptoContext
    private let account: OwnAccount
    private let sessions: OutboundSessions

    init(_ context: CryptoContext, _ account: OwnAccount, _ sessions: OutboundSessions) {
        self.context = context
        self.account = account
        self.sessions = sessions
    }

    func encrypt(type: String, content: JSONValue, in room: String, _ settings: RoomEncryption, now: Int64)
        throws(CryptoError) -> JSONValue
    {
        guard let known = sessions[room], known.ready != nil, !Rotation.isDue(known.stored, settings, now: now) else {
            throw .notPrepared
        }
        guard var inside = content.object else { throw .unusableContent }
        let relation = inside["m.relates_to"]
        inside["m.relates_to"] = nil
        let event: JSONValue = ["type": .string(type), "content": .object(inside), "room_id": .string(room)]
        guard let plaintext = try? JSONWriter.canonical(event), plaintext.count <= Self.largestPlaintext else {
            throw .unusableContent
        }
        let ciphertext = try olm { () throws(OlmError) in try known.session.encrypt(plaintext) }
        try sessions.keep(room, messages: 1)
        var outside: JSONObject = [
            "algorithm": "m.megolm.v1.aes-sha2",
            // Both are deprecated, and "SHOULD continue to be sent".
            "sender_key": .string(account.identityKeys.curve25519),
            "device_id": .string(context.deviceID),
            "session_id": .string(known.stored.id),
            "ciphertext": .string(ciphertext),
        ]
        outside["m.relates_to"] = relation
        return .object(outside)
    }
}
