import Base
import Matrix
import MatrixCrypto

/// The account's encryption: when it is at work, and what it changes about syncs.
extension MatrixAdapter {
    private static let longestIntroduction: Duration = .minutes(1)

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
        guard settings.encryption, let crypto else { return keyTrouble = nil }
        guard let device else {
            log.warning(
                "the access token belongs to no device, so encrypted rooms can't be read", ["account": network])
            return keyTrouble = nil
        }
        // Its keys stay where they are: if it was the server that was wrong, the next start finds them right.
        guard !foreignDevices.contains(device), !Task.isCancelled else { return keyTrouble = nil }
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
        encryption.note(openNote)
        openNote = Encryption.Note()
        tryAgain(late.keysChanged())
    }

    private func openKeys(
        _ crypto: any CryptoSource, of user: String, _ device: String, _ trust: DeviceTrust
    ) async -> CryptoDesk? {
        let desk = CryptoDesk(clock: clock)
        do throws(CryptoError) {
            let rooms = try await desk.open(
                crypto, user: user, device: device, recoveryKey: settings.recoveryKey, trust: trust,
                position: session?.userID == user ? session?.position : store.syncPosition(of: user))
            keyTrouble = nil
            for room in rooms { store.save(encryptedRoom: room, of: user) }
            return desk
        } catch {
            guard error != .otherIdentity else {
                keyTrouble = nil
                foundForeignKeys(device, of: user)
                return nil
            }
            let trouble = KeyTrouble(error, after: keyTrouble, now: clock.now, random: random())
            if trouble.text != keyTrouble?.text { tell(trouble) }
            keyTrouble = trouble
            _ = clock.schedule(at: trouble.nextLook) { [weak self] in
                if self?.isKeyLookDue == true { self?.poll?.cancel() }
            }
            return nil
        }
    }

    private func tell(_ trouble: KeyTrouble) {
        let details: KeyValuePairs = ["account": network, "reason": trouble.text]
        switch trouble.kind {
        case .library: log.error("encryption can't begin; encrypted rooms are left alone, plain ones go on", details)
        case .store: log.error("encryption can't begin; encrypted rooms wait, plain ones go on", details)
        }
        attendant?.halted("encryption can't begin: \(trouble.text)")
    }

    /// The long poll is given up for it.
    var isKeyLookDue: Bool { keyTrouble.map { $0.nextLook <= clock.now } ?? false }

    /// Whether the keys can be used by now; between two syncs.
    func lookForKeys() async {
        guard isKeyLookDue, let access else { return }
        await tendEncryption(access)
        if !Task.isCancelled { adopt(access.userID) }
    }

    /// What syncs tell of keys can't be kept.
    var holdsPosition: Bool { keyTrouble?.kind == .store }

    /// What is said in a room is encrypted for the devices that are known then, and for those alone: a room is entered once this
    /// one is introduced. Where that isn't to be had it is entered all the same after a while, since plain rooms need no keys.
    func introduce() async {
        guard keyTrouble == nil else { return }
        let deadline = clock.now + Self.longestIntroduction
        await encryptionComes(by: deadline)
        guard let encryption else { return }
        let isIntroduced = await encryption.introduced(by: deadline)
        guard !isIntroduced, !Task.isCancelled, failures.isNews("introduction", now: clock.now) else { return }
        log.warning(
            "this device's keys can't be put on the server; rooms are entered without, and what is said there until then stays unread",
            ["account": network])
    }

    func closeEncryption() async {
        guard let encryption else { return }
        openNote.add(encryption.openNote)
        self.encryption = nil
        await encryption.stop()
    }

    /// The store isn't this device's: it was lost, or taken from elsewhere. The server keeps the first keys that it had for a
    /// device, so this one stays deaf whatever is done (no second try mends it); a new device is the way out.
    func foundForeignKeys(_ device: String, of user: String) {
        guard foreignDevices.insert(device).inserted else { return }
        keysOfFirstBatch = nil
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
        guard let encryption else { return !holdsPosition }
        for sync in [keysOfFirstBatch, batch.crypto].compactMap(\.self) {
            guard let events = await encryption.received(sync), !Task.isCancelled else { return false }
            happened(events)
        }
        keysOfFirstBatch = nil
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
        let note = Encryption.Note(settings: settings, newSessions: newSessions)
        if holdsPosition { openNote.add(note) } else { encryption?.note(note) }
    }

    private func tellOfEncryption(_ room: String) {
        if encryption == nil, !holdsPosition {
            let reason = settings.encryption ? "encryption isn't at work" : "encryption is switched off in the config"
            log.warning("an encrypted room is left alone", ["room": room, "reason": reason])
        } else if session?.rooms[room]?.encryption == nil {
            log.warning(
                "an encrypted room is left alone", ["room": room, "reason": "its algorithm isn't known here"])
        }
    }
}
