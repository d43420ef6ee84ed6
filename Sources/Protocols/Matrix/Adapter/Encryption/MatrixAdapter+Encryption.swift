import Base
import Matrix
import MatrixCrypto

/// The account's encryption: when it is at work, and what it changes about syncs.
extension MatrixAdapter {
    /// Brings the encryption in line with who is signed in. The keys belong to a device: with another one they are others.
    func tendEncryption(_ access: Access) async {
        let device = settings.encryption ? access.deviceID : nil
        let trust: DeviceTrust = settings.crossSignedOnly ? .crossSigned : .crossSignedOrWithout
        if let encryption, encryption.userID == access.userID, encryption.deviceID == device,
            !foreignDevices.contains(encryption.deviceID), encryption.recoveryKey == settings.recoveryKey,
            encryption.trust == trust
        {
            encryption.server = access.server
            return
        }
        await closeEncryption()
        guard settings.encryption, let crypto else { return }
        guard let device else {
            log.warning(
                "the access token belongs to no device, so encrypted rooms can't be read", ["account": network])
            return
        }
        // Its keys stay where they are: if it was the server that was wrong, the next start finds them right.
        guard !foreignDevices.contains(device), !Task.isCancelled else { return }
        guard let desk = await openKeys(crypto, of: access.userID, device, trust) else { return }
        guard !Task.isCancelled else { return await desk.close() }
        let encryption = Encryption(
            desk, userID: access.userID, deviceID: device, calls: calls, clock: clock, log: log)
        encryption.server = access.server
        encryption.recoveryKey = settings.recoveryKey
        encryption.trust = trust
        if case .password(let password) = settings.signIn { encryption.password = password }
        encryption.happened = { [weak self] events in self?.happened(events) }
        encryption.verified = { [weak self] effects in self?.carryOut(effects) }
        encryption.tokenRefused = { [weak self] in self?.renewSoon() }
        encryption.isForeign = { [weak self] in self?.foundForeignKeys(device, of: access.userID) }
        encryption.noted = { [weak self] in self?.savePosition() }
        self.encryption = encryption
        log.info("encryption is on", ["user": access.userID, "device": device])
        encryption.start()
        attend(encryption)
        for note in openNotes { encryption.note(note) }
        openNotes = []
        tryAgain(late.clear())
    }

    /// Tries until it works: what the server has told once of keys it forgets, so nothing is synced before they can be kept. Plain
    /// rooms wait too: a bot that silently loses keys would be worse, and without encryption they go on.
    private func openKeys(
        _ crypto: any CryptoSource, of user: String, _ device: String, _ trust: DeviceTrust
    ) async -> CryptoDesk? {
        var backoff = Backoff(first: .seconds(1), longest: .minutes(1))
        var told: String?
        while !Task.isCancelled {
            let desk = CryptoDesk(clock: clock)
            do throws(CryptoError) {
                let rooms = try await desk.open(
                    crypto, user: user, device: device, recoveryKey: settings.recoveryKey, trust: trust,
                    position: session?.userID == user ? session?.position : store.syncPosition(of: user))
                for room in rooms { store.save(encryptedRoom: room, of: user) }
                return desk
            } catch {
                if error == .otherIdentity {
                    foundForeignKeys(device, of: user)
                    return nil
                }
                if error.text != told {
                    log.error(
                        "encryption can't begin; the account waits for it (or for encryption: false)",
                        ["account": network, "reason": error.text])
                    attendant?.halted("encryption can't begin: \(error.text)")
                }
                told = error.text
            }
            await clock.sleep(for: backoff.next(spread: random()))
        }
        return nil
    }

    func closeEncryption() async {
        guard let encryption else { return }
        openNotes += encryption.openNotes.sorted { $0.key < $1.key }.map(\.value)
        self.encryption = nil
        await encryption.stop()
    }

    /// The store isn't this device's: it was lost, or taken from elsewhere. The server keeps the first keys that it had for a
    /// device, so this one stays deaf whatever is done (no second try mends it); a new device is the way out.
    func foundForeignKeys(_ device: String, of user: String) {
        guard foreignDevices.insert(device).inserted else { return }
        if case .password = settings.signIn {
            log.error(
                "the stored keys are not this device's, which can't read anything any more; a new device is logged in",
                ["account": network, "device": device])
            store.save(session: nil, of: settings.user ?? user)
        } else {
            log.error(
                """
                the stored keys are not this device's, which can't read anything any more: encrypted rooms are left \
                alone until a new device is signed in (gifbot login, or a new access token)
                """, ["account": network, "device": device])
        }
        isNewDeviceDue = true
        poll?.cancel()
    }

    // MARK: What the sync brought

    /// Keys first, then what they open. False when they can't be kept now: the sync has to be asked for again, or they would be
    /// lost, since the server forgets what it has told.
    func decrypt(_ batch: inout SyncBatch) async -> Bool {
        // Of a batch that was cut short, and is asked for again.
        waitingForKeys = []
        guard let encryption else { return true }
        guard let events = await encryption.received(batch.crypto) else { return false }
        guard !Task.isCancelled else { return false }
        happened(events)
        let sealed = session?.sealedEvents(in: batch, longestAge: longestAge) ?? []
        guard !sealed.isEmpty else { return true }
        guard let opened = await encryption.open(sealed), !Task.isCancelled else { return false }
        for (envelope, result) in zip(sealed, opened) {
            switch result {
            case .event(let event): batch.replace(envelope, with: event)
            case .missingKey(let key): waitingForKeys.append((envelope, key))
            case .refused(let reason): refused(envelope, reason)
            }
        }
        return true
    }

    /// What a batch tells of encrypted rooms, before anything in them is answered.
    func noteRooms(_ effects: [SyncEffect]) {
        guard let session else { return }
        var settings: [String: RoomEncryption] = [:]
        var newSessions: Set<String> = []
        for effect in effects {
            switch effect {
            case .encrypted(let room):
                // Outlives the device and its keys: clear text never comes back to this room.
                store.save(encryptedRoom: room, of: session.userID)
                settings[room] = session.rooms[room]?.encryption
                tellOfEncryption(room)
            case .readersChanged(let room), .left(let room): newSessions.insert(room)
            default: break
            }
        }
        guard let encryption, !settings.isEmpty || !newSessions.isEmpty else { return }
        encryption.note(Encryption.Note(settings: settings, newSessions: newSessions.sorted()))
    }

    private func tellOfEncryption(_ room: String) {
        if encryption == nil {
            let reason = settings.encryption ? "encryption isn't at work" : "encryption is switched off in the config"
            log.warning("an encrypted room is left alone", ["room": room, "reason": reason])
        } else if session?.rooms[room]?.encryption == nil {
            log.warning(
                "an encrypted room is left alone", ["room": room, "reason": "its algorithm isn't known here"])
        }
    }

    // MARK: Late keys

    /// The batch is handed over now: what it holds and can't be read yet holds the position back, as a command in hand does, so
    /// that a crash loses none. Nothing is said in the room: a sentence from a bot that can't read is noise for those whose
    /// clients work.
    func waitForKeys() {
        let now = clock.now
        var readable: [LateMessages.Entry] = []
        for (sealed, session) in waitingForKeys {
            let age = age(sealed.event.age, origin: sealed.event.originTime) ?? longestAge
            let left = min(longestAge - age, LateMessages.patience)
            guard left > .zero, self.session?.rooms[sealed.room] != nil else { continue }
            log.debug("a message can't be read yet", ["room": sealed.room, "event": sealed.id])
            handover.began(sealed.id)
            let entry = LateMessages.Entry(sealed: sealed, session: session, since: now, until: now + left)
            if keysMeanwhile.contains(session) { readable.append(entry) } else { release(late.add(entry)) }
        }
        waitingForKeys = []
        keysMeanwhile = []
        tryAgain(readable)
        watchLateMessages()
    }

    func happened(_ events: [CryptoEvent]) {
        for event in events {
            switch event {
            case .roomKey(let session, let room):
                if waitingForKeys.contains(where: { $0.session == session }) { keysMeanwhile.insert(session) }
                tryAgain(late.take(session, in: room))
            case .withheld(let session, let room, let sender, let code):
                log.info("a key is withheld from this device", ["room": room, "code": code])
                // No session with us yet is no refusal: the key may come once there is one.
                if code != "m.no_olm" { release(late.withheld(session, in: room, by: sender).map(\.sealed)) }
            case .verification(let event): verificationCame(event)
            case .notice(let notice) where notice.isWarning: log.warning("encryption", ["what": notice.text])
            case .notice(let notice): log.info("encryption", ["what": notice.text])
            case .discarded(let type, let sender, let reason):
                log.info("a message to this device is not used", ["type": type, "from": sender, "reason": reason])
            }
        }
    }

    private func tryAgain(_ entries: [LateMessages.Entry]) {
        guard !entries.isEmpty else { return }
        guard let encryption else { return tryWithAnother(entries) }
        Loop.start { [weak self] in
            let opened = await encryption.open(entries.map(\.sealed))
            // After a stop they go on holding the position back.
            guard let self, !isStopped else { return }
            guard self.encryption === encryption else { return tryWithAnother(entries) }
            for (index, entry) in entries.enumerated() {
                switch opened?[index] {
                case .event(let event): readLate(event, entry)
                case .missingKey, nil: release(late.add(entry))
                case .refused(let reason):
                    refused(entry.sealed, reason)
                    release([entry.sealed])
                }
            }
            watchLateMessages()
        }
    }

    /// The encryption was exchanged meanwhile, and the next one may be there already.
    private func tryWithAnother(_ entries: [LateMessages.Entry]) {
        for entry in entries { release(late.add(entry)) }
        watchLateMessages()
        if encryption != nil { tryAgain(late.clear()) }
    }

    private func readLate(_ event: MatrixEvent, _ entry: LateMessages.Entry) {
        var event = event
        let waited = entry.since.duration(to: clock.now).milliseconds
        event.age = event.age.map { $0.addingReportingOverflow(waited).partialValue }
        if !isRedacted(entry.sealed.id, in: entry.sealed.room), !isStopped {
            act(on: session?.receivedLate(event, in: entry.sealed.room) ?? [])
        }
        release([entry.sealed])
    }

    private func refused(_ sealed: SealedEvent, _ reason: String) {
        log.info("an encrypted message is not read", ["room": sealed.room, "event": sealed.id, "reason": reason])
    }

    /// They aren't waited for any more, and nothing was said to them.
    func release(_ sealed: [SealedEvent]) {
        guard !sealed.isEmpty else { return }
        for one in sealed { _ = handover.finished(one.id) }
        savePosition()
    }

    func release(_ entries: [LateMessages.Entry]) { release(entries.map(\.sealed)) }

    private func watchLateMessages() {
        if let lateTimer { clock.cancel(lateTimer) }
        lateTimer = late.nextDeadline.map { deadline in
            clock.schedule(at: deadline) { [weak self] in
                guard let self else { return }
                release(late.expired(clock.now))
                watchLateMessages()
            }
        }
    }
}
