import Base
import Matrix

/// An event that only one person may read, while it is queued.
struct Confidence {
    let room: String
    /// Somebody else may read in that room by now.
    var isBroken = false
}

/// Chats of two: where they are, and that what is said to one person there is read by nobody else.
extension MatrixAdapter {
    public static let directChatCapacity = 1000
    /// Under way at once; whoever speaks in a later batch comes then.
    private static let mostLooks = 20
    /// For how long a batch waits for what was just asked.
    private static let longestLook: Duration = .seconds(1)

    /// A chat of two that is there already; none is made for it.
    func directChat(with user: String) -> String? {
        directChats.room(with: user).flatMap { isOfTwo($0) ? $0 : nil }
    }

    private func isOfTwo(_ room: String) -> Bool { session?.rooms[room]?.isOfTwo ?? false }

    func noteDirectChat(_ room: String, with user: String) {
        let known = directChats.room(with: user)
        // A batch is older than a look that it waited for; and of how many nobody knows it isn't known that they are two.
        let isSure = known == room || !crowds.contains(room) && isOfTwo(room)
        if !isSure, known != nil { return }
        if let other = directChats.set(room, with: user, isSure: isSure) { save(nil, with: other) }
        save(room, with: user)
    }

    /// The account was invited to a chat of two, and came.
    func enteredDirectChat(_ room: String) {
        guard let user = directInviters.removeValue(forKey: room), directChats.room(with: user) == nil else { return }
        if let other = directChats.set(room, with: user, isSure: false) { save(nil, with: other) }
        save(room, with: user)
    }

    func noteInviter(_ invite: Invite) {
        guard invite.isDirect else { return }
        if directInviters.count >= Self.directChatCapacity { directInviters = [:] }
        directInviters[invite.room] = invite.inviter
    }

    func restoreDirectChats(of account: String) {
        looks.cancelAll()
        crowds = []
        directChats = DirectChats(capacity: Self.directChatCapacity)
        for (user, room) in store.directChats(of: account) {
            _ = directChats.set(room, with: user, isSure: false)
        }
    }

    /// Nothing will be told of who came and left meanwhile.
    func doubtDirectChats() {
        looks.cancelAll()
        directChats.doubtAll()
        for transaction in confidences.keys { confidences[transaction]?.isBroken = true }
    }

    func forgetDirectChats(in room: String) {
        for user in directChats.people(of: room) where directChats.forget(room, with: user) { save(nil, with: user) }
        directInviters[room] = nil
    }

    /// A third one came, or may have: what waits to be said to one person there isn't said.
    func crowded(_ room: String) {
        directChats.doubt(room)
        breakConfidences(in: room)
    }

    /// Whoever is still in the chat of two must read nothing that was meant for the one who left.
    func parted(_ user: String, from room: String) {
        breakConfidences(in: room)
        guard directChats.forget(room, with: user) else { return }
        save(nil, with: user)
        sender.left(room)
    }

    /// Asked when its turn comes, and once more as it is put: it may have waited in between.
    func mayStillBeRead(_ event: OutgoingEvent) -> Bool {
        guard let confidence = confidences[event.transactionID] else { return true }
        if !confidence.isBroken, isOfTwo(confidence.room) { return true }
        log.info("a private answer is not sent: others may read it now", ["room": event.room])
        return false
    }

    private func breakConfidences(in room: String) {
        for (transaction, confidence) in confidences where confidence.room == room {
            confidences[transaction]?.isBroken = true
        }
    }

    /// Looks who is in the doubtful chats of those who speak in a batch, beside the sync. The batch waits a moment for the
    /// answers; later ones hold from when they come.
    func lookIntoDirectChats(of batch: SyncBatch, _ access: Access) async {
        // What a batch tells of a room may be newer than what a look that is under way finds.
        for room in batch.joined { looks.cancel(room.id) }
        for room in batch.left { looks.cancel(room) }
        var gates: [Gate] = []
        for user in session?.speakers(in: batch) ?? [] {
            guard let room = directChats.doubtfulRoom(with: user), !looks.contains(room) else { continue }
            guard looks.count < Self.mostLooks else { break }
            let gate = Gate(clock: clock)
            gates.append(gate)
            looks.start(room) { [weak self] in
                await self?.look(into: room, access)
                gate.open()
            }
        }
        let deadline = clock.now + Self.longestLook
        for gate in gates where clock.now < deadline { await gate.wait(by: deadline) }
    }

    private func look(into room: String, _ access: Access) async {
        let people = await calls(access.server.people(in: room), Replies.people)
        if Task.isCancelled { return }
        switch people {
        case .success(let people): learned(people, of: room)
        // A list so long that it is cut off is one of them.
        case .failure(let error) where error.retry == .never && !error.isTokenRefused:
            for user in directChats.people(of: room) { settle(room, with: user, isTrue: false) }
        // A later batch asks again.
        case .failure: break
        }
    }

    func learned(_ people: RoomPeople, of room: String) {
        session?.learned(joinedCount: people.joined.count, invitedCount: people.invited.count, in: room)
        guard let own = session?.userID else { return }
        for user in directChats.people(of: room) where directChats.doubtfulRoom(with: user) == room {
            let isTrue = people.invited.isEmpty && people.joined == [user, own]
            if !isTrue { crowds.insert(room) }
            settle(room, with: user, isTrue: isTrue)
        }
    }

    private func settle(_ room: String, with user: String, isTrue: Bool) {
        if isTrue {
            _ = directChats.set(room, with: user, isSure: true)
            return
        }
        crowded(room)
        if directChats.forget(room, with: user) { save(nil, with: user) }
    }

    private func save(_ room: String?, with user: String) {
        if let account = session?.userID { store.save(directChat: room, with: user, of: account) }
    }
}
