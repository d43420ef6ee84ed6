import JSON

/// The content keys of all event types that are read, in one flat value: no two types use one key differently here.
public struct EventContent: Equatable, Sendable {
    // m.room.message
    public var messageType: String?
    public var body: String?
    public var format: String?
    public var formattedBody: String?
    /// `rel_type`, and the event it points at.
    public var relation: String?
    public var relatedEvent: String?
    /// The event that this is a reply to.
    public var replyTo: String?
    /// That reply only tells clients without threads where this belongs ("Threading", fallback).
    public var isFallback = false
    /// Who is meant (`m.mentions`).
    public var mentions: [String] = []
    /// What an edit puts in the place of the earlier content.
    public var newContent: NewContent?
    /// m.reaction: the mark put on the related event.
    public var mark: String?

    // m.room.redaction from room version 11
    public var redacts: String?

    // m.room.member
    public var membership: String?
    public var displayName: String?
    public var isDirect: Bool?

    // m.room.create
    public var roomType: String?
    public var roomVersion: String?
    public var additionalCreators: [String] = []
    /// The room that this one continues.
    public var predecessor: String?

    // m.room.power_levels
    public var levels: [String: Int] = [:]
    public var defaultLevel: Int?
    public var messageLevel: Int?
    public var encryptedLevel: Int?
    public var defaultEventLevel: Int?

    // m.room.tombstone
    public var replacement: String?

    // m.room.encryption
    public var algorithm: String?
    public var rotationMessages: Int64?
    /// Milliseconds.
    public var rotationPeriod: Int64?

    // m.room.history_visibility
    public var historyVisibility: String?

    // m.room.encrypted
    public var isCipher = false

    public init() {}
}

extension EventContent {
    /// Whether it may be one that is needed as it was written; the type may not be known yet.
    var isKeptWhole: Bool {
        isCipher || relation == "m.reference" || messageType == MatrixEvent.verificationPrefix + "request"
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> EventContent {
        var content = EventContent()
        guard try reader.beginObjectOrSkip() else { return content }
        while let key = try reader.nextKey() {
            if try content.readMessage(key, &reader) { continue }
            if try content.readState(key, &reader) { continue }
            try reader.skip()
        }
        return content
    }

    /// True when the key was one of a message's, and its value was read.
    private mutating func readMessage(_ key: JSONText, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch key {
        case "msgtype": messageType = try reader.stringOrSkip()
        case "body": body = try reader.stringOrSkip()
        case "format": format = try reader.stringOrSkip()
        case "formatted_body": formattedBody = try reader.stringOrSkip()
        case "m.relates_to": try readRelation(&reader)
        case "m.mentions": mentions = try EventContent.mentions(&reader)
        case "m.new_content": newContent = try NewContent.read(&reader)
        case "redacts": redacts = try reader.stringOrSkip()
        default: return false
        }
        return true
    }

    private mutating func readState(_ key: JSONText, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch key {
        case "membership": membership = try reader.stringOrSkip()
        case "displayname": displayName = try reader.stringOrSkip()
        case "is_direct": isDirect = try reader.boolOrSkip()
        case "type": roomType = try reader.stringOrSkip()
        case "room_version": roomVersion = try reader.stringOrSkip()
        case "additional_creators": additionalCreators = try reader.texts()
        case "predecessor":
            if try reader.beginObjectOrSkip() { predecessor = try reader.texts(of: ["room_id"])[0] }
        case "users": levels = try reader.levels()
        case "users_default": defaultLevel = try reader.level()
        case "events":
            let levels = try reader.levels()
            messageLevel = levels["m.room.message"]
            encryptedLevel = levels["m.room.encrypted"]
        case "events_default": defaultEventLevel = try reader.level()
        case "replacement_room": replacement = try reader.stringOrSkip()
        case "algorithm": algorithm = try reader.stringOrSkip()
        case "rotation_period_msgs": rotationMessages = try reader.integerOrSkip()
        case "rotation_period_ms": rotationPeriod = try reader.integerOrSkip()
        case "history_visibility": historyVisibility = try reader.stringOrSkip()
        case "ciphertext":
            isCipher = true
            try reader.skip()
        default: return false
        }
        return true
    }

    private mutating func readRelation(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            switch key {
            case "rel_type": relation = try reader.stringOrSkip()
            case "event_id": relatedEvent = try reader.stringOrSkip()
            case "key": mark = try reader.stringOrSkip()
            case "is_falling_back": isFallback = try reader.boolOrSkip() ?? false
            case "m.in_reply_to":
                if try reader.beginObjectOrSkip() { replyTo = try reader.texts(of: ["event_id"])[0] }
            default: try reader.skip()
            }
        }
    }

    static func mentions(_ reader: inout JSONReader) throws(JSONError) -> [String] {
        guard try reader.beginObjectOrSkip() else { return [] }
        var mentions: [String] = []
        while let key = try reader.nextKey() {
            switch key {
            case "user_ids": mentions = try reader.texts()
            default: try reader.skip()
            }
        }
        return mentions
    }
}

extension JSONReader {
    /// A power level. Rooms before version 10 have them as text too.
    mutating func level() throws(JSONError) -> Int? {
        if try peek() == .string { return Int(try string()) }
        return try integerOrSkip().map(Int.init)
    }

    mutating func levels() throws(JSONError) -> [String: Int] {
        guard try beginObjectOrSkip() else { return [:] }
        var levels: [String: Int] = [:]
        while let key = try nextKey() {
            let name = key.string
            if let level = try level() { levels[name] = level }
        }
        return levels
    }
}
