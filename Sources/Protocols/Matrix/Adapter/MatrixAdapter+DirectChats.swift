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
    /// Looked at before one batch; who speaks in a later one comes then.
    private static let mostLooks = 20

    /// A chat of two that is there already; none is made for it.
    func directChat(with user: String) -> String? {
        guard let session, let room = directChats.room(with: user), session.rooms[room]?.isDirect ?? false else {
            return nil
        }
        return room
    }

    func noteDirectChat(_ room: String, with user: String) {
        guard directChats.room(with: user) != room else { return }
        if directChats.doubtfulRoom(with: user) != room { save(room, with: user) }
        if let other = directChats.set(room, with: user, isSure: true) { save(nil, with: other) }
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
        directChats = DirectChats(capacity: Self.directChatCapacity)
        for (user, room) in store.directChats(of: account) {
            _ = directChats.set(room, with: user, isSure: false)
        }
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

    private func breakConfidences(in room: String) {
        for (transaction, confidence) in confidences where confidence.room == room {
            confidences[transaction]?.isBroken = true
        }
    }

    /// Looks who is in the doubtful chats of those who speak in a batch.
    func lookIntoDirectChats(of batch: SyncBatch, _ access: Access) async {
        var looks = 0
        for user in session?.speakers(in: batch) ?? [] {
            guard let room = directChats.doubtfulRoom(with: user) else { continue }
            looks += 1
            guard looks <= Self.mostLooks else { return }
            let people = await calls(access.server.people(in: room), Replies.people)
            if Task.isCancelled { return }
            switch people {
            case .success(let people):
                session?.learned(joinedCount: people.joined.count, invitedCount: people.invited.count, in: room)
                settle(room, with: user, isTrue: people.invited.isEmpty && people.joined == [user, access.userID])
            // A list so long that it is cut off is one of them.
            case .failure(let error) where error.retry == .never && !error.isTokenRefused:
                settle(room, with: user, isTrue: false)
            // A later batch asks again.
            case .failure: return
            }
        }
    }

    private func settle(_ room: String, with user: String, isTrue: Bool) {
        if isTrue {
            _ = directChats.set(room, with: user, isSure: true)
        } else if directChats.forget(room, with: user) {
            save(nil, with: user)
        }
    }

    private func save(_ room: String?, with user: String) {
        if let account = session?.userID { store.save(directChat: room, with: user, of: account) }
    }
}
