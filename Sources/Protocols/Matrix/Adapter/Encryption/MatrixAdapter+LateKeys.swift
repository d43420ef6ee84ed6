import Base
import Matrix
import MatrixCrypto

/// Messages whose key comes after them.
extension MatrixAdapter {
    private static let pauseOfTries: Duration = .seconds(2)

    /// The batch is handed over now: what it holds and can't be read yet holds the position back, as a command in hand does, so
    /// that a crash loses none. Nothing is said in the room: a sentence from a bot that can't read is noise for those whose
    /// clients work.
    func waitForKeys() {
        let now = clock.now
        var readable: [SealedEvent] = []
        for (sealed, session) in waitingForKeys {
            let age = age(sealed.event.age, origin: sealed.event.originTime) ?? longestAge
            let left = min(longestAge - age, LateMessages.patience)
            guard left > .zero, self.session?.rooms[sealed.room] != nil else { continue }
            log.debug("a message can't be read yet", ["room": sealed.room, "event": sealed.id])
            handover.began(sealed.id)
            release(late.add(LateMessages.Entry(sealed: sealed, session: session, since: now, until: now + left)))
            if keysMeanwhile.contains(session) { readable += late.keyCame(session, in: sealed.room) }
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
                tryAgain(late.keyCame(session, in: room))
            case .withheld(let session, let room, let sender, let code):
                log.info("a key is withheld from this device", ["room": room, "code": code])
                // No session with us yet is no refusal: the key may come once there is one.
                if code != "m.no_olm" { release(late.withheld(session, in: room, by: sender)) }
            case .verification(let event): verificationCame(event)
            case .notice(let notice) where notice.isWarning: log.warning("encryption", ["what": notice.text])
            case .notice(let notice): log.info("encryption", ["what": notice.text])
            case .discarded(let type, let sender, let reason):
                log.info("a message to this device is not used", ["type": type, "from": sender, "reason": reason])
            }
        }
    }

    func tryAgain(_ due: [SealedEvent]) {
        guard !due.isEmpty else { return }
        Loop.start { [weak self] in await self?.openLate(due) }
    }

    /// Until all of them are read, or wait for their key again, or wait no longer; also over a change of the keys.
    private func openLate(_ due: [SealedEvent]) async {
        var due = due
        while !due.isEmpty {
            let opened = await encryption?.open(due)
            // After a stop they go on holding the position back.
            if isStopped { return }
            if let opened {
                due = zip(due, opened).filter { isStillDue($0, after: $1) }.map(\.0)
                watchLateMessages()
            } else {
                // The store can't be used now, or there is none: nobody tells the key a second time.
                await clock.sleep(for: Self.pauseOfTries)
                if isStopped { return }
                due = due.filter(late.contains)
            }
        }
    }

    private func isStillDue(_ sealed: SealedEvent, after opened: CryptoDesk.Opened) -> Bool {
        switch opened {
        case .missingKey: return late.stayedClosed(sealed)
        case .event(let event):
            if let entry = late.remove(sealed) { readLate(event, entry) }
        case .refused(let reason):
            guard let entry = late.remove(sealed) else { return false }
            refused(sealed, reason)
            release([entry])
        }
        return false
    }

    private func readLate(_ event: MatrixEvent, _ entry: LateMessages.Entry) {
        var event = event
        let waited = entry.since.duration(to: clock.now).milliseconds
        event.age = event.age.map { $0.addingReportingOverflow(waited).partialValue }
        if !isRedacted(entry.sealed.id, in: entry.sealed.room) {
            act(on: session?.receivedLate(event, in: entry.sealed.room) ?? [])
        }
        release([entry])
    }

    func refused(_ sealed: SealedEvent, _ reason: String) {
        log.info("an encrypted message is not read", ["room": sealed.room, "event": sealed.id, "reason": reason])
    }

    /// They aren't waited for any more, and nothing was said to them.
    private func release(_ sealed: [SealedEvent]) {
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
