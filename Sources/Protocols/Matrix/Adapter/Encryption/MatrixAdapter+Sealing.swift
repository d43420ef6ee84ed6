import Base
import Matrix
import MatrixCrypto

/// Sending in encrypted rooms.
extension MatrixAdapter {
    /// The event as the room needs it. Reactions and redactions go in clear, as clients do it: the server has to see what they
    /// are about.
    func sealed(_ event: OutgoingEvent) async -> OutgoingEvent? {
        let deadline = clock.now + settings.sendWithin
        if let media = letters[event.transactionID]?.media {
            var content: MediaContent?
            if let crypto, encryption != nil { content = await uploads.sealedContent(for: media, crypto.attachments) }
            guard !Task.isCancelled, var letter = letters[event.transactionID] else { return nil }
            letter.media = nil
            letter.content.media = content
            letters[event.transactionID] = letter
        }
        // A file that was uploaded in clear, before encryption was switched on, isn't shown here: its link is.
        if letters[event.transactionID]?.content.media?.isEncrypted == false {
            letters[event.transactionID]?.content.media = nil
        }
        guard var whole = made(event) else { return nil }
        guard whole.type == "m.room.message" || whole.type.hasPrefix("m.key.verification.") else { return whole }
        guard let encryption, session?.rooms[event.room]?.encryption != nil else {
            log.warning("an answer is not sent: the room is encrypted", ["room": event.room])
            return nil
        }
        let content = await encryption.seal(
            type: whole.type, content: whole.content, in: event.room, by: deadline
        ) { [weak self] in
            await self?.audience(of: event.room, by: deadline)
        }
        // Who could read it may have changed while the keys went out.
        guard !Task.isCancelled, let content, mayStillBeRead(event) else {
            if !Task.isCancelled { log.warning("an answer could not be encrypted", ["room": event.room]) }
            return nil
        }
        whole.type = "m.room.encrypted"
        whole.content = content
        return whole
    }

    private func made(_ event: OutgoingEvent) -> OutgoingEvent? {
        guard let letter = letters[event.transactionID] else { return event }
        return whole(event, letter)
    }

    /// Everybody who has to be able to read what is said in a room; asked for when it isn't known. Nil when that can't be found
    /// out.
    private func audience(of room: String, by deadline: Instant) async -> RoomAudience? {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(30))
        while !Task.isCancelled, clock.now < deadline {
            if let audience = session?.audience(of: room) { return audience }
            guard let access, session?.rooms[room] != nil else { return nil }
            session?.asksForMembers(of: room)
            let people = await calls(access.server.members(of: room), Replies.people)
            if Task.isCancelled { return nil }
            switch people {
            case .success(let people): session?.learned(people, of: room)
            case .failure(let error):
                log.warning("the members of a room can't be learned", ["room": room, "reason": error.text])
                guard error.retry != .never || error.isTokenRefused else { return nil }
                await clock.sleep(for: backoff.next(spread: random()))
            }
        }
        return nil
    }
}
