import JSON
import MatrixCrypto

/// Messages of a verification in a room ("Key verification framework").
extension MatrixEvent {
    static let verificationPrefix = "m.key.verification."

    /// Whether its content is kept whole, to be read by the verification.
    static func isOfVerification(type: String, _ content: EventContent) -> Bool {
        type.hasPrefix(verificationPrefix)
            || (type == "m.room.message" && content.messageType == verificationPrefix + "request")
    }

    public var isOfVerification: Bool { Self.isOfVerification(type: type, content) }

    /// Nil for what is none. A request comes as a message.
    func verification(in room: String) -> VerificationMessage? {
        guard let whole, stateKey == nil, !isRedacted, let id, Self.isOfVerification(type: type, content),
            let value = try? JSONValue(parsing: whole)
        else { return nil }
        return VerificationMessage(
            type: type == "m.room.message" ? Self.verificationPrefix + "request" : type, sender: sender,
            content: value, place: .room(room, event: id, time: originTime ?? 0))
    }
}
