extension SyncSession {
    /// What a person's event says about an earlier one. An edit that is no m.text any more makes no command of a message.
    func change(_ event: MatrixEvent, in id: String, _ room: Room) -> SyncEffect? {
        guard event.stateKey == nil, event.sender != userID, !event.isRedacted, !ignored.contains(event.sender),
            let related = event.content.relatedEvent
        else { return nil }
        switch (event.type, event.content.relation) {
        case ("m.room.message", "m.replace"):
            guard let new = event.content.newContent, new.messageType == "m.text", new.body != nil else { return nil }
            return .edited(RoomMessage(event, new, of: related, in: id, room))
        case ("m.reaction", "m.annotation"):
            guard let eventID = event.id, let mark = event.content.mark else { return nil }
            return .reacted(RoomReaction(event, id: eventID, mark, on: related, in: id, room))
        default: return nil
        }
    }
}

extension MatrixEvent {
    /// What a redaction takes back.
    var redactedEvent: String? {
        type == "m.room.redaction" ? content.redacts ?? redacts : nil
    }
}

extension RoomMessage {
    init(_ event: MatrixEvent, id: String, in roomID: String, _ room: Room) {
        self.id = id
        self.room = roomID
        sender = event.sender
        level = room.level(of: event.sender)
        isDirect = room.isDirect
        body = event.content.body ?? ""
        formattedBody = event.content.format == "org.matrix.custom.html" ? event.content.formattedBody : nil
        mentions = event.content.mentions
        isReply = event.content.replyTo != nil && !(event.content.relation == "m.thread" && event.content.isFallback)
        thread = event.content.relation == "m.thread" ? event.content.relatedEvent : nil
        age = event.age
        originTime = event.originTime
        ownName = room.ownName
    }

    /// An edit's relation is to the message, so what that replied to and its thread aren't known here; and the new content
    /// quotes nothing.
    fileprivate init(_ event: MatrixEvent, _ new: NewContent, of id: String, in roomID: String, _ room: Room) {
        self.id = id
        self.room = roomID
        sender = event.sender
        level = room.level(of: event.sender)
        isDirect = room.isDirect
        body = new.body ?? ""
        formattedBody = new.format == "org.matrix.custom.html" ? new.formattedBody : nil
        mentions = new.mentions
        isReply = false
        thread = nil
        age = event.age
        originTime = event.originTime
        ownName = room.ownName
    }
}

extension RoomRedaction {
    init(_ event: MatrixEvent, of redacted: String, in roomID: String, _ room: Room) {
        self.room = roomID
        self.event = redacted
        sender = event.sender
        level = room.level(of: event.sender)
        isDirect = room.isDirect
    }
}

extension RoomReaction {
    fileprivate init(
        _ event: MatrixEvent, id: String, _ mark: String, on related: String, in roomID: String, _ room: Room
    ) {
        self.id = id
        self.room = roomID
        self.event = related
        self.mark = mark
        sender = event.sender
        level = room.level(of: event.sender)
        isDirect = room.isDirect
        age = event.age
        originTime = event.originTime
    }
}
