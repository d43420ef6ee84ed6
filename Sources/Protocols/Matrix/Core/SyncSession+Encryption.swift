public import MatrixCrypto

/// Encrypted rooms: who is there to read, and what came encrypted.
extension SyncSession {
    /// Lists of members held at a time. At the bound another room's goes, and is asked for again when that room is written to.
    static let maximumLists = 500

    /// For whom a message to this room has to be readable; nil while the list of members isn't known.
    public func audience(of id: String) -> RoomAudience? {
        guard let room = rooms[id], room.isEncrypted, let list = members[id], let joined = list.people(at: .joined)
        else { return nil }
        // Who is invited reads from the invite on, unless the room says: from the join on.
        let mayReadEarly = room.historyVisibility != "joined"
        return RoomAudience(
            room: id, joined: joined, invited: mayReadEarly ? list.people(at: .invited) ?? [] : [],
            historyVisibility: room.historyVisibility)
    }

    /// The list of a room's members is about to be asked for.
    public mutating func asksForMembers(of room: String) {
        guard rooms[room] != nil else { return }
        if members[room] == nil, members.count >= Self.maximumLists, let other = members.keys.first {
            members[other] = nil
        }
        members[room, default: RoomMembers()].ask()
    }

    public mutating func learned(_ people: RoomPeople, of room: String) {
        members[room]?.learned(people)
    }

    /// A message whose key came late. Empty when it is nothing to act on, or was seen, or its room was left meanwhile.
    public mutating func receivedLate(_ event: MatrixEvent, in id: String) -> [SyncEffect] {
        if let room = rooms[id], let message = verification(event, in: id, room) { return [.verification(message)] }
        guard let room = rooms[id], room.isEncrypted, let told = told(event, in: id, room), let eventID = event.id,
            seen.insert(eventID), mayHear(room)
        else { return [] }
        return [told]
    }

    /// Once for each event. In an encrypted room it counts in clear too: what matters is compared by people, and some clients
    /// do without encryption here.
    mutating func verification(_ event: MatrixEvent, in id: String, _ room: Room) -> VerificationMessage? {
        guard !ignored.contains(event.sender), let message = event.verification(in: id), let eventID = event.id,
            seen.insert(eventID)
        else { return nil }
        return message
    }

    /// Whether anything may be shown or said in a room now.
    public func mayTalk(in room: String) -> Bool {
        rooms[room].map(mayHear) ?? false
    }

    /// Where the account may not speak, or can't read, it isn't asked to search either.
    func mayHear(_ room: Room) -> Bool {
        room.isKnown && room.maySpeak(userID) && (encrypts || !room.isEncrypted)
    }

    /// In an encrypted room a message in clear is left alone: it may be the server's own, put into somebody's mouth, and an
    /// answer would show everybody in the room something that its members never asked for. And an encrypted one doesn't count
    /// in a room that (as far as is known here) isn't: its answer would tell in clear what was said in secret.
    static func isAsTheRoomIs(_ event: MatrixEvent, _ room: Room) -> Bool {
        event.type != "m.room.message" || event.wasEncrypted == room.isEncrypted
    }
}

extension MatrixEvent {
    /// The plaintext in the place of the envelope. Types that go in clear in encrypted rooms (redactions, state) mean nothing
    /// inside: nil, as for content that is none.
    public func opened(type: String, content: EventContent) -> MatrixEvent? {
        let isKnown = type == "m.room.message" || type == "m.reaction" || type.hasPrefix(Self.verificationPrefix)
        guard isKnown else { return nil }
        var event = self
        event.type = type
        event.content = content
        event.sealed = nil
        event.wasEncrypted = true
        return event
    }
}

/// An `m.room.encrypted` of a room's timeline, still closed.
public struct SealedEvent: Equatable, Sendable {
    public let room: String
    public let event: MatrixEvent
    public let id: String

    public init?(_ event: MatrixEvent, in room: String) {
        guard event.sealed != nil, let id = event.id else { return nil }
        self.room = room
        self.event = event
        self.id = id
    }
}

extension SyncSession {
    /// What of a batch is worth decrypting: words of others, said while the account was there, and young enough to matter. Of
    /// a first sync nothing is.
    public func sealedEvents(in batch: SyncBatch, longestAge: Duration) -> [SealedEvent] {
        guard encrypts, position != nil else { return [] }
        return batch.joined.flatMap { room -> [SealedEvent] in
            let events = room.missed + room.timeline
            let start =
                rooms[room.id] == nil ? events.lastIndex { $0.isJoin(of: userID) }.map { $0 + 1 } ?? 0 : 0
            return events[start...].compactMap { event in
                guard event.sender != userID, !event.isRedacted, !ignored.contains(event.sender),
                    !event.isOlder(than: longestAge)
                else { return nil }
                return SealedEvent(event, in: room.id)
            }
        }
    }
}

extension SyncBatch {
    /// Puts what was decrypted in the place of its envelope.
    public mutating func replace(_ sealed: SealedEvent, with opened: MatrixEvent) {
        for index in joined.indices where joined[index].id == sealed.room {
            if let place = joined[index].missed.firstIndex(where: { $0.id == sealed.id }) {
                joined[index].missed[place] = opened
            }
            if let place = joined[index].timeline.firstIndex(where: { $0.id == sealed.id }) {
                joined[index].timeline[place] = opened
            }
        }
    }
}
