import Base
import Matrix
import MatrixCrypto

/// Sending in encrypted rooms.
extension MatrixAdapter {
    /// The last word before an event is put. It is encrypted, or of a kind that goes in clear everywhere, or the room is known to
    /// be plain; what isn't known counts as encrypted.
    func mayPut(_ event: OutgoingEvent) -> Bool {
        if event.type == "m.room.encrypted" || Self.goesInClear(event) { return true }
        if isPlain(event.room), !sealedOnly.contains(event.transactionID) { return true }
        log.warning("an answer is not sent: the room is encrypted, or may be", ["room": event.room])
        return false
    }

    /// Reactions and redactions, as clients do it: the server has to see what they are about.
    private static func goesInClear(_ event: OutgoingEvent) -> Bool {
        event.type == "m.reaction" || event.type == "m.room.redaction"
    }

    /// By what was seen now or ever, of the room's state and in the store of keys.
    func isEncrypted(_ room: String) -> Bool {
        guard let session else { return false }
        return session.rooms[room]?.isEncrypted ?? false || store.encryptedRooms(of: session.userID).contains(room)
    }

    func isPlain(_ room: String) -> Bool { session?.rooms[room]?.isPlain ?? false && !isEncrypted(room) }

    /// Before anything else is made of a batch, which may take a while.
    func noteEncryption(in batch: SyncBatch) {
        guard let userID = session?.userID else { return }
        for room in batch.joined {
            let events = room.state + room.timeline
            guard events.contains(where: { $0.type == "m.room.encryption" && $0.stateKey == "" }) else { continue }
            store.save(encryptedRoom: room.id, of: userID)
        }
    }

    /// The event as the room needs it. Keys that are closed meanwhile, for a new sign-in or other settings, are waited for; all
    /// within the time that the event has.
    func sealed(_ event: OutgoingEvent) async -> Made {
        let deadline = sender.deadline(of: event)
        if let media = letters[event.transactionID]?.media {
            var content: MediaContent?
            await encryptionComes(by: deadline)
            if let crypto, encryption != nil { content = await uploads.sealedContent(for: media, crypto.attachments) }
            guard !Task.isCancelled, var letter = letters[event.transactionID] else { return .nothing }
            letter.media = nil
            letter.content.media = content
            letters[event.transactionID] = letter
        }
        // A file that was uploaded in clear, before encryption was switched on, isn't shown here: its link is.
        if letters[event.transactionID]?.content.media?.isEncrypted == false {
            letters[event.transactionID]?.content.media = nil
        }
        guard var whole = made(event) else { return .nothing }
        if Self.goesInClear(whole) { return .event(whole) }
        sealedOnly.insert(event.transactionID)
        while true {
            await encryptionComes(by: deadline)
            guard clock.now < deadline else { return .failed(EventSender.waitedTooLong) }
            guard let encryption, session?.rooms[event.room]?.encryption != nil else {
                return .failed("the room is encrypted")
            }
            let content = await encryption.seal(
                type: whole.type, content: whole.content, in: event.room, by: deadline
            ) { [weak self] in
                await self?.audience(of: event.room, by: deadline)
            }
            // Who could read it may have changed while the keys went out.
            guard !Task.isCancelled, mayStillBeRead(event) else { return .nothing }
            if let content {
                whole.type = "m.room.encrypted"
                whole.content = content
                return .event(whole)
            }
            if encryption === self.encryption, clock.now < deadline { return .failed("it can't be encrypted") }
        }
    }

    func encryptionComes(by deadline: Instant) async {
        while encryption == nil, isEncryptionExpected, clock.now < deadline, !Task.isCancelled {
            await clock.sleep(for: min(.seconds(1), clock.now.duration(to: deadline)))
        }
    }

    /// It is at work, or will be as soon as its keys are open.
    var isEncryptionExpected: Bool {
        if encryption != nil { return true }
        guard settings.encryption, crypto != nil, haltReason == nil, !isStopped, keyTrouble?.kind != .library else {
            return false
        }
        guard let device = access?.deviceID else { return access == nil }
        // With a password a new device takes the place of one without keys.
        if case .password = settings.signIn { return true }
        return !foreignDevices.contains(device)
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
