import JSON

/// An event of a room as far as this program reads it ("Room event format"). Fields of another type than the
/// specification's read as absent: people send such things.
public struct MatrixEvent: Equatable, Sendable {
    public var type = ""
    /// Absent in the stripped state of an invite.
    public var id: String?
    public var sender = ""
    /// Set, if only to nothing, for state.
    public var stateKey: String?
    /// Milliseconds since 1970 by the clock of the sender's server.
    public var originTime: Int64?
    /// Milliseconds, as this homeserver counts.
    public var age: Int64?
    /// Where redactions have it before room version 11; later it is in the content.
    public var redacts: String?
    /// Somebody took this event back already.
    public var isRedacted = false
    public var content = EventContent()
    /// What the state was before, where the server says so.
    public var previous: EventContent?
    /// The JSON of an `m.room.encrypted`'s content, as it came.
    public var sealed: [UInt8]?
    /// The JSON of a verification's content, as it came.
    public var whole: [UInt8]?
    /// It came encrypted: type and content are those of the plaintext.
    public var wasEncrypted = false

    public init() {}
}

extension MatrixEvent {
    /// Who isn't in the room (any more), by a member event.
    var parted: String? {
        type == "m.room.member" && ["leave", "ban"].contains(content.membership) ? stateKey : nil
    }

    /// Nil for a value that is no event at all.
    static func read(_ reader: inout JSONReader) throws(JSONError) -> MatrixEvent? {
        guard try reader.beginObjectOrSkip() else { return nil }
        var event = MatrixEvent()
        var content: [UInt8]?
        while let key = try reader.nextKey() {
            switch key {
            case "type": event.type = try reader.stringOrSkip() ?? ""
            case "event_id": event.id = try reader.stringOrSkip()
            case "sender": event.sender = try reader.stringOrSkip() ?? ""
            case "state_key": event.stateKey = try reader.stringOrSkip()
            case "origin_server_ts": event.originTime = try reader.integerOrSkip()
            case "redacts": event.redacts = try reader.stringOrSkip()
            case "content":
                let place = reader.place
                event.content = try EventContent.read(&reader)
                // The type may stand behind it.
                content = event.content.isKeptWhole ? reader.bytes(since: place) : nil
            case "unsigned": try event.readUnsigned(&reader)
            default: try reader.skip()
            }
        }
        if event.type == "m.room.encrypted", event.stateKey == nil { event.sealed = content }
        if isOfVerification(type: event.type, event.content) { event.whole = content }
        return event.type.isEmpty || event.sender.isEmpty ? nil : event
    }

    private mutating func readUnsigned(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            switch key {
            case "age": age = try reader.integerOrSkip()
            case "prev_content": previous = try EventContent.read(&reader)
            case "redacted_because":
                isRedacted = true
                try reader.skip()
            default: try reader.skip()
            }
        }
    }

    static func readAll(_ reader: inout JSONReader) throws(JSONError) -> [MatrixEvent] {
        guard try reader.beginArrayOrSkip() else { return [] }
        var events: [MatrixEvent] = []
        while try reader.nextElement() {
            if let event = try MatrixEvent.read(&reader) { events.append(event) }
        }
        return events
    }
}
