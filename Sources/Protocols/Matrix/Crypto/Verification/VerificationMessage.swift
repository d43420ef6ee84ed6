public import JSON

/// A message of a verification ("Key verification framework"), as it came. A request in a room has the type
/// `m.key.verification.request` here, though it comes as an `m.room.message` with that `msgtype`.
public struct VerificationMessage: Equatable, Sendable {
    public enum Place: Hashable, Sendable {
        case toDevice
        /// The event's own id, and when its server says that it was sent, in milliseconds since 1970.
        case room(String, event: String, time: Int64)
    }

    static let prefix = "m.key.verification."

    public let type: String
    public let sender: String
    public let content: JSONValue
    public let place: Place

    public init(type: String, sender: String, content: JSONValue, place: Place) {
        self.type = type
        self.sender = sender
        self.content = content
        self.place = place
    }

    /// What the messages of one verification share; nil for one that names none.
    var id: VerificationID? {
        switch place {
        case .toDevice:
            guard let transaction = content["transaction_id"]?.string else { return nil }
            return VerificationID(room: nil, user: sender, transaction: transaction)
        case .room(let room, let event, _):
            if isRequest { return VerificationID(room: room, user: sender, transaction: event) }
            guard let relation = content["m.relates_to"], relation["rel_type"]?.string == "m.reference",
                let request = relation["event_id"]?.string
            else { return nil }
            return VerificationID(room: room, user: sender, transaction: request)
        }
    }

    public var isRequest: Bool { type == Self.prefix + "request" }
}

/// Which verification: with whom, by which first message.
public struct VerificationID: Hashable, Sendable {
    /// Nil when its messages go from device to device.
    public let room: String?
    /// The other person.
    public let user: String
    /// The request's event id, or what the first message called itself.
    public let transaction: String

    public init(room: String?, user: String, transaction: String) {
        self.room = room
        self.user = user
        self.transaction = transaction
    }
}

/// Why a verification ended without success; the codes are the spec's.
public struct VerificationEnd: Equatable, Sendable {
    public let code: String
    /// The other side's words, or ours for them. Not to be believed or shown unchecked.
    public let reason: String
    public let isByThem: Bool

    static func ours(_ code: String, _ reason: String) -> Self { Self(code: code, reason: reason, isByThem: false) }

    static let declined = ours("m.user", "The verification was declined.")
    static let timedOut = ours("m.timeout", "It took longer than ten minutes.")
    static let unknownTransaction = ours("m.unknown_transaction", "This verification isn't known here.")
    static let unknownMethod = ours("m.unknown_method", "No common method: this device knows m.sas.v1 alone.")
    static let unexpected = ours("m.unexpected_message", "This message came out of turn.")
    static let invalid = ours("m.invalid_message", "This message lacks something or can't be read.")
    static let keyMismatch = ours("m.key_mismatch", "The keys are not those that are known here.")
    static let userMismatch = ours("m.user_mismatch", "Another device had answered.")
    static let commitmentMismatch = ours("m.mismatched_commitment", "The key is not the one that was promised.")
    static let stringsDiffer = ours("m.mismatched_sas", "The short strings do not match.")
    static let tooMany = ours("m.user", "Too many verifications are under way here.")
    static let secondAttempt = ours("m.unexpected_message", "There was another verification with this device.")
    static let accepted = ours("m.accepted", "Another device has taken it.")
}

/// What a verification wants done.
public enum VerificationEffect: Equatable, Sendable {
    /// In clear, to these devices; the device `*` is all of a user's.
    case toDevice(type: String, content: JSONValue, to: [DeviceName])
    /// Encrypted where the room is; the relation is in the content.
    case inRoom(String, type: String, content: JSONValue)
    /// Their keys will be asked for: their devices have to be known by then.
    case follow(user: String)
    /// Somebody wants to verify this device: `accept` or `cancel`.
    case asked(VerificationID, device: String)
    /// To be compared with what the other side shows: `answer`.
    case show(VerificationID, ShortString)
    case verified(VerificationID, VerifiedKeys)
    case ended(VerificationID, VerificationEnd)
}

/// What the other side has proven to be theirs.
public struct VerifiedKeys: Equatable, Sendable {
    public let device: String
    public let isDeviceVerified: Bool
    /// Their master key, if they had it verified.
    public let masterKey: String?
}
