/// The state of one account's sync: what to ask next, what rooms there are, what of an answer is news.
///
/// It exists only for an account whose id is known, so that no event can be handled without telling own words apart
/// from others'. Without a position the first answer sets the state and answers nothing; so does the first one after the
/// server refused a position.
public struct SyncSession: Sendable {
    public static let maximumRooms = 10_000
    public static let maximumGaps = 200

    public let userID: String
    /// The `next_batch` of the last answer used.
    public private(set) var position: String?
    public private(set) var rooms: [String: Room] = [:]

    private var isFullStateDue: Bool
    private var timelineLimit = usualTimelineLimit
    /// Of the request, since the position last moved.
    private var repetitions = 0
    /// Outlives the rooms: encryption is never taken back, so what was seen once counts for good.
    private var encryptedRooms: Set<String>
    /// Encrypted rooms are read and written to; else they are left alone.
    public private(set) var encrypts: Bool
    /// Of encrypted rooms that are written to.
    var members: [String: RoomMembers] = [:]
    var ignored: Set<String> = []
    /// Asked for between two batches, and used with the next one.
    private var learnedCounts: [String: (joined: Int, invited: Int?)] = [:]
    private var invitedAsDirect = RecentIDs(capacity: 1000)
    var seen = RecentIDs(capacity: 4096)

    private static let usualTimelineLimit = 20

    /// `encryptedRooms` are those that were ever seen to be encrypted.
    public init(userID: String, position: String?, encrypts: Bool = false, encryptedRooms: Set<String> = []) {
        self.userID = userID
        self.position = position
        self.encrypts = encrypts
        self.encryptedRooms = encryptedRooms
        isFullStateDue = position != nil
    }

    public var request: SyncRequest {
        SyncRequest(
            since: position, wantsFullState: isFullStateDue, timelineLimit: position == nil ? 1 : timelineLimit,
            encrypts: encrypts, repetition: repetitions)
    }

    /// The server doesn't know the position (any more): start anew, and answer nothing old. Who came and went meanwhile is told
    /// nowhere.
    public mutating func positionRefused() {
        position = nil
        isFullStateDue = false
        for room in rooms.keys { rooms[room]?.forgetCount() }
    }

    /// From the next request on. Switched on, all is asked anew that matters to encrypted rooms; until then they count as unknown.
    public mutating func switchEncryption(to encrypts: Bool) {
        guard encrypts != self.encrypts else { return }
        self.encrypts = encrypts
        guard encrypts else { return }
        for id in rooms.keys where rooms[id]?.isEncrypted ?? false {
            rooms[id] = nil
            members[id] = nil
        }
        isFullStateDue = position != nil
    }

    /// An answer was longer than allowed: ask for less, or the account would stay stuck at this place.
    public mutating func answerWasTooLong() {
        timelineLimit = max(1, timelineLimit / 4)
    }

    /// Rooms of a batch in which somebody speaks while it isn't known how many people are there. After a restart the
    /// server tells the count only when it changes.
    public func roomsOfUnknownSize(in batch: SyncBatch) -> [String] {
        guard position != nil else { return [] }
        return batch.joined.compactMap { room in
            let isKnown = room.joinedCount != nil || rooms[room.id]?.peopleCount != nil && !isCountOpen(after: room)
            return !isKnown && room.timeline.contains(where: isPersonsText) ? room.id : nil
        }
    }

    /// Somebody came to a talk of two, or may have, and the server doesn't say how many there are now, as some do. The state tells
    /// nothing of it: whoever speaks first is in there.
    private func isCountOpen(after room: SyncBatch.Joined) -> Bool {
        room.joinedCount == nil && rooms[room.id]?.isOfTwo ?? false
            && (room.isLimited || room.timeline.contains { $0.isArrival(besides: userID) })
    }

    public mutating func learned(joinedCount: Int, in room: String) {
        learnedCounts[room] = (joinedCount, nil)
    }

    /// All that is to be known of how many people are in a room: holds from now on, and for a room that the next batch brings.
    public mutating func learned(joinedCount: Int, invitedCount: Int, in room: String) {
        learnedCounts[room] = (joinedCount, invitedCount)
        rooms[room]?.learn(joined: joinedCount, invited: invitedCount)
    }

    /// Who says something in a batch.
    public func speakers(in batch: SyncBatch) -> Set<String> {
        var speakers: Set<String> = []
        for room in batch.joined {
            for event in room.missed + room.timeline where isPersonsText(event) { speakers.insert(event.sender) }
        }
        return speakers
    }

    /// What a batch left out and is worth fetching: messages younger than `longestAge` may lie there. Of more rooms than
    /// `maximumGaps` none is fetched: so many messages at once are no talk with a bot.
    public func gaps(in batch: SyncBatch, longestAge: Duration) -> [GapFiller] {
        guard let position else { return [] }
        let gaps = batch.joined.compactMap { room -> GapFiller? in
            guard room.isLimited, let from = room.previousBatch,
                !room.timeline.contains(where: { $0.isJoin(of: userID) || $0.isOlder(than: longestAge) })
            else { return nil }
            return GapFiller(
                room: room.id, userID: userID, from: from, to: position, longestAge: longestAge,
                encrypts: encrypts)
        }
        return gaps.count <= Self.maximumGaps ? gaps : []
    }

    /// Takes in a whole batch. The position moves with it; saving it is the caller's, once the effects are done with. When the
    /// caller can't keep what else is in the batch, it doesn't move on: the next answer brings it again, and what was said in it
    /// is no news then, but for what was still encrypted.
    public mutating func received(_ batch: SyncBatch, movesOn: Bool = true) -> [SyncEffect] {
        let answers = position != nil
        var effects: [SyncEffect] = []
        if let list = batch.ignored { ignored = Set(list) }
        for id in batch.left { leave(id, &effects) }
        for invited in batch.invited { invite(invited, &effects) }
        for joined in batch.joined { take(joined, answers: answers, &effects) }
        learnedCounts = [:]
        if movesOn { position = batch.next }
        repetitions = movesOn ? 0 : repetitions + 1
        isFullStateDue = false
        timelineLimit = Self.usualTimelineLimit
        return effects
    }

    private mutating func leave(_ id: String, _ effects: inout [SyncEffect]) {
        rooms[id] = nil
        members[id] = nil
        effects.append(.left(room: id))
    }

    private mutating func invite(_ invited: SyncBatch.Invited, _ effects: inout [SyncEffect]) {
        let own = invited.state.last {
            $0.type == "m.room.member" && $0.stateKey == userID && $0.content.membership == "invite"
        }
        guard let own, !ignored.contains(own.sender) else { return }
        let isSpace = invited.state.contains {
            $0.type == "m.room.create" && $0.stateKey == "" && $0.content.roomType == "m.space"
        }
        let isDirect = own.content.isDirect ?? false
        if isDirect { invitedAsDirect.insert(invited.id) }
        effects.append(
            .invited(Invite(room: invited.id, inviter: own.sender, isDirect: isDirect, isSpace: isSpace)))
    }

    private mutating func take(_ joined: SyncBatch.Joined, answers: Bool, _ effects: inout [SyncEffect]) {
        let id = joined.id
        let isNew = rooms[id] == nil
        guard !isNew || rooms.count < Self.maximumRooms else { return }
        var room = rooms[id] ?? Room()
        let wasDeserted = room.isDeserted
        let wasOfTwo = !isNew && room.isOfTwo
        if isNew {
            if invitedAsDirect.contains(id) { room.wasInvitedAsDirect = true }
            if encryptedRooms.contains(id) { room.isEncrypted = true }
            effects.append(.joined(room: id))
        }
        let learned = learnedCounts[id]
        if learned == nil, isCountOpen(after: joined) { room.forgetCount() }
        room.learn(
            joined: joined.joinedCount ?? learned?.joined, invited: joined.invitedCount ?? learned?.invited)
        // Of a limited timeline the state doesn't show everybody who left, since members are loaded lazily.
        if wasOfTwo, !room.isOfTwo || joined.isLimited { effects.append(.crowded(room: id)) }
        if joined.isLimited { members[id]?.doubt() }
        if room.isEncrypted, joined.isLimited { effects.append(.readersChanged(room: id)) }
        for event in joined.state {
            apply(event, to: &room, id, isNews: !answers, &effects)
            if let user = event.parted, user != userID { effects.append(.parted(user: user, room: id)) }
        }
        if isNew, room.isSpace { effects.append(.space(room: id)) }
        if room.isDeserted, !wasDeserted { effects.append(.alone(room: id)) }

        // Of a room just entered the server shows what was said before; that was not said to us.
        let events = joined.missed + joined.timeline
        let start = isNew ? events.lastIndex { $0.isJoin(of: userID) }.map { $0 + 1 } ?? 0 : 0
        let takenBack = Set(events.compactMap(\.redactedEvent))
        for (index, event) in events.enumerated() {
            if index >= joined.missed.count { apply(event, to: &room, id, isNews: true, &effects) }
            if let user = event.parted, user != userID { effects.append(.parted(user: user, room: id)) }
            if let redacted = event.redactedEvent {
                effects.append(.redacted(RoomRedaction(event, of: redacted, in: id, room)))
            }
            if encrypts, answers, index >= start, let message = verification(event, in: id, room) {
                effects.append(.verification(message))
                continue
            }
            guard let told = told(event, in: id, room), let eventID = event.id, seen.insert(eventID) else { continue }
            // Where the account may not speak it isn't asked to search either.
            guard answers, index >= start, mayHear(room), !takenBack.contains(eventID) else { continue }
            effects.append(told)
        }
        rooms[id] = room
    }

    private mutating func apply(
        _ event: MatrixEvent, to room: inout Room, _ id: String, isNews: Bool, _ effects: inout [SyncEffect]
    ) {
        let before = room
        room.apply(event, own: userID)
        members[id]?.apply(event)
        if room.isEncrypted {
            let isNew = encryptedRooms.insert(id).inserted
            if isNew || room.encryption != before.encryption { effects.append(.encrypted(room: id)) }
            if before.isKnown, room.historyVisibility != before.historyVisibility || event.parted != nil {
                effects.append(.readersChanged(room: id))
            }
        }
        if let replacement = room.replacement, replacement != before.replacement {
            effects.append(
                .upgraded(Upgrade(room: id, replacement: replacement, sender: event.sender, isNews: isNews)))
        }
    }

    /// What a person's event comes to, if anything.
    func told(_ event: MatrixEvent, in id: String, _ room: Room) -> SyncEffect? {
        guard Self.isAsTheRoomIs(event, room) else { return nil }
        if isPersonsText(event), let eventID = event.id {
            return .message(RoomMessage(event, id: eventID, in: id, room))
        }
        return change(event, in: id, room)
    }

    /// An m.text of somebody else that stands for itself. Notices and emotes are no requests; nor are edits, whose truth
    /// is elsewhere, or what was taken back.
    private func isPersonsText(_ event: MatrixEvent) -> Bool {
        event.type == "m.room.message" && event.stateKey == nil && event.sender != userID
            && event.content.messageType == "m.text" && event.content.body != nil
            && event.content.relation != "m.replace" && !event.isRedacted && !ignored.contains(event.sender)
    }
}
