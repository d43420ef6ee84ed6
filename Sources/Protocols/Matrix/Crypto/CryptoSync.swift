public import JSON

/// What one `/sync` brought for encryption ("Extensions to /sync").
public struct CryptoSync: Equatable, Sendable {
    public var toDevice: [ToDeviceEvent] = []
    /// People whose devices changed, or with whom a first encrypted room is shared now.
    public var changed: [String] = []
    /// People with whom none is shared any more.
    public var left: [String] = []
    /// `device_one_time_keys_count`; an algorithm that is absent has none.
    public var oneTimeKeyCounts: [String: Int] = [:]
    /// `device_unused_fallback_key_types`; nil from a server that knows no fallback keys.
    public var unusedFallbackTypes: [String]?
    public var nextBatch = ""

    public init() {}
}

public struct ToDeviceEvent: Equatable, Sendable {
    public let type: String
    public let sender: String
    public let content: JSONValue

    public init(type: String, sender: String, content: JSONValue) {
        self.type = type
        self.sender = sender
        self.content = content
    }
}

/// What came of it for the rest of the program.
public enum CryptoEvent: Equatable, Sendable {
    /// A key came: what waits for it can be read now.
    case roomKey(session: String, room: String)
    /// The sender's device won't give the key ("Reporting that decryption keys are withheld").
    case withheld(session: String, room: String, sender: String, code: String)
    /// A step of a verification; content in clear, whether it came encrypted or not.
    case verification(ToDeviceEvent)
    /// Something about keys that the operator should know.
    case notice(CryptoNotice)
    /// A to-device event was dropped, and why; for the log.
    case discarded(type: String, sender: String, reason: String)
}

/// `m.room.encrypted` in a room's timeline.
public struct EncryptedEvent: Equatable, Sendable {
    public let id: String
    public let sender: String
    public let content: JSONValue

    public init(id: String, sender: String, content: JSONValue) {
        self.id = id
        self.sender = sender
        self.content = content
    }
}

public enum Decryption: Equatable, Sendable {
    /// The plaintext's `type` and `content`; the relation from outside is put back into the content.
    case clear(type: String, content: JSONValue)
    /// The key isn't there (yet); it may come late.
    case missingKey(session: String)
    /// It will never be read, or must not be believed: why, for the log.
    case refused(String)
}

/// Who is in a room that is to be written to, as the room's state has it now.
public struct RoomAudience: Equatable, Sendable {
    public let room: String
    public let joined: [String]
    /// Those that the history visibility lets read from their invite on; else empty.
    public let invited: [String]
    public let historyVisibility: String

    public init(room: String, joined: [String], invited: [String], historyVisibility: String) {
        self.room = room
        self.joined = joined
        self.invited = invited
        self.historyVisibility = historyVisibility
    }
}

public enum RoomReadiness: Equatable, Sendable {
    /// `encrypt` may be called.
    case ready
    /// Calls that `requests` has now come first.
    case waiting
}
