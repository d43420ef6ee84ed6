import Base
import HTTP
import Matrix

/// What is to be done about an error while something is insisted on.
enum ErrorRole {
    /// Wait and repeat, unless it is one that never passes.
    case usual
    /// No use in repeating: come to a halt.
    case final
    /// The caller goes another way.
    case handled
}

/// Why a sync came to its end.
private enum SyncEnd {
    case cancelled
    case halted
    case signInAgain
}

extension MatrixAdapter {
    private static let longestBackoff: Duration = .minutes(1)
    /// Small ones, about many rooms, that something waits for.
    static let questionsAtOnce = 8
    static let questionTime: Duration = .seconds(10)
    /// While keys can't be kept, plain rooms are looked at so often.
    private static let longestHold: Duration = .seconds(10)

    /// The whole life of the account, from signing in to the halt or the cancellation.
    func live() async {
        // A server that takes logins and forgets them must not be logged in to without end.
        var backoff = Backoff(first: .seconds(5), longest: .hours(1))
        while !Task.isCancelled {
            guard let access = await signIn(), !Task.isCancelled else { return }
            log.info("signed in", ["user": access.userID])
            begin(access)
            await tendEncryption(access)
            if Task.isCancelled { return }
            if isNewDeviceDue {
                isNewDeviceDue = false
                await clock.sleep(for: backoff.next(spread: random()))
                continue
            }
            adopt(access.userID)
            sender.resume(with: access.server)
            await learnName(access)
            await showAvatar(access)
            await learnAliases()
            if Task.isCancelled { return }
            work.start(.rooms) { [weak self] in await self?.tendRooms() }
            let began = clock.now
            guard await sync() == .signInAgain else { return }
            if clock.now > began + .minutes(10) { backoff.reset() }
            await clock.sleep(for: backoff.next(spread: random()))
        }
    }

    /// Everybody who calls the server has the token in force.
    private func begin(_ access: Access) {
        self.access = access
        joiner.server = access.server
        leaver.server = access.server
        manners.server = access.server
        manners.userID = access.userID
        uploads.server = access.server
        uploads.userID = access.userID
        if let renewalTimer { clock.cancel(renewalTimer) }
        isRenewalDue = false
        isLoggedOut = false
        renewalTimer = access.renewal.map { instant in
            clock.schedule(at: instant) { [weak self] in self?.renewSoon() }
        }
    }

    /// The token ends soon, or somebody was told that it has ended: the long poll is given up for a new one.
    func renewSoon() {
        guard canRenew else { return }
        isRenewalDue = true
        poll?.cancel()
    }

    private var canRenew: Bool { storedSession?.refreshToken != nil }

    /// What the token in force came from; nil for one in the config.
    private var storedSession: StoredSession? {
        if case .accessToken = settings.signIn { return nil }
        return session.flatMap { store.session(of: settings.user ?? $0.userID) }
    }

    /// Nil: go on.
    private func renewIfDue() async -> SyncEnd? {
        guard isRenewalDue, let access, let stored = storedSession else { return nil }
        isRenewalDue = false
        switch await renew(stored, at: access.server.baseURL) {
        case .renewed(let access):
            renewed = clock.now
            begin(access)
            sender.resume(with: access.server)
            return nil
        case .impossible:
            // A password doesn't revive a device that somebody logged out.
            if case .password = settings.signIn, !isLoggedOut { return .signInAgain }
            halt("the device was logged out; a login or new settings start it again")
            return .halted
        case .ended: return haltReason == nil ? .cancelled : .halted
        }
    }

    /// One sync, which `renewSoon` can cut short.
    private func ask(_ request: SyncRequest, _ access: Access) async -> Result<SyncBatch, MatrixError> {
        let calls = calls
        let asked = request.httpRequest(to: access.server)
        let task = Task(executorPreference: Loop.executor) { await calls(asked, SyncBatch.decode) }
        poll = task
        defer { poll = nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func sync() async -> SyncEnd {
        var backoff = Backoff(first: .seconds(1), longest: Self.longestBackoff)
        var isFirst = true
        while !Task.isCancelled {
            if isNewDeviceDue {
                isNewDeviceDue = false
                return .signInAgain
            }
            if let end = await renewIfDue() { return end }
            await lookForKeys()
            if isNewDeviceDue { continue }
            guard !Task.isCancelled, let access, let request = session?.request else { break }
            let asked = clock.now
            let result = await ask(request, access)
            if Task.isCancelled { break }
            switch result {
            case .success(var batch):
                worked()
                noteEncryption(in: batch)
                sender.resume(with: access.server)
                let isWhole = await fillGaps(of: &batch, access)
                var isReadable = isWhole
                // Before anybody looks at what was said.
                if isWhole { isReadable = await decrypt(&batch) }
                if isNewDeviceDue || Task.isCancelled { continue }
                if isWhole {
                    await learnSizes(of: batch, access)
                    await lookIntoDirectChats(of: batch, access)
                }
                if Task.isCancelled { break }
                guard isWhole else {
                    // It is asked for again, and that call finds out about the token.
                    await clock.sleep(for: backoff.next(spread: random()))
                    continue
                }
                if isReadable { take(batch) } else { takePlain(batch) }
                if isFirst {
                    enterConfiguredRooms()
                    attendant?.ready()
                }
                isFirst = false
                guard isReadable else {
                    await clock.sleep(for: min(backoff.next(spread: random()), Self.longestHold))
                    continue
                }
                backoff.reset()
                // A server that doesn't hold the request open must not be asked a thousand times a second.
                if batch.next == request.since, clock.now < asked + .seconds(1) { await clock.sleep(for: .seconds(1)) }
            case .failure(let error):
                // Cut short for a new token, or for keys.
                if isRenewalDue || isNewDeviceDue || isKeyLookDue { continue }
                if let end = end(for: error) { return end }
                if isRenewalDue { continue }
                await recover(from: error, &backoff)
            }
        }
        return .cancelled
    }

    private func end(for error: MatrixError) -> SyncEnd? {
        if error.isTokenRefused {
            // One that was renewed just now and is refused all the same isn't worth another.
            if canRenew, renewed.map({ $0 + .seconds(5) < clock.now }) ?? true {
                isRenewalDue = true
                isLoggedOut = !error.isSoftLogout
                return nil
            }
            if case .password = settings.signIn, error.isSoftLogout { return .signInAgain }
            halt("the access token is no longer valid; a new one in the config starts it again")
            return .halted
        }
        guard error.isAccountShut else { return nil }
        halt(error.text)
        return .halted
    }

    private func recover(from error: MatrixError, _ backoff: inout Backoff) async {
        if error.isPositionRefused, session?.position != nil {
            log.warning("the homeserver doesn't know the stored position; starting anew", ["reason": error.text])
            session?.positionRefused()
            forgetPosition()
        }
        if case .transport(.bodyTooLarge) = error { session?.answerWasTooLong() }
        await pause(after: error, doing: "syncing", &backoff)
    }

    /// After a restart the server doesn't tell how many people are in a room. What it doesn't say in time stays unknown.
    private func learnSizes(of batch: SyncBatch, _ access: Access) async {
        let rooms = session?.roomsOfUnknownSize(in: batch) ?? []
        await sideBySide(rooms, width: Self.questionsAtOnce, by: clock.now + Self.questionTime, clock: clock) {
            [weak self] room in await self?.learnSize(of: room, access)
        }
    }

    private func learnSize(of room: String, _ access: Access) async {
        let count = await calls(access.server.joinedMembers(of: room), Replies.joinedCount)
        if Task.isCancelled { return }
        switch count {
        // Whoever is invited reads along with few.
        case .success(let count) where count <= 2:
            let people = await calls(access.server.people(in: room), Replies.people)
            if Task.isCancelled { return }
            if case .success(let people) = people { learned(people, of: room) }
        case .success(let count): session?.learned(joinedCount: count, in: room)
        // So many that the list was cut off: all that matters is that it is no talk of two.
        case .failure(.transport(.bodyTooLarge)): session?.learned(joinedCount: 1000, in: room)
        case .failure: break
        }
    }

    // MARK: Failures

    /// Repeats a call until it works. Nil when the task was cancelled, when the error is the caller's to handle, or when
    /// the account came to a halt over it.
    func insist<Output: Sendable>(
        _ doing: String, _ request: HTTPRequest,
        _ decode: @escaping @Sendable (HTTPResponse) -> Result<Output, MatrixError>,
        role: (MatrixError) -> ErrorRole = { _ in .usual }
    ) async -> Output? {
        var backoff = Backoff(first: .seconds(1), longest: Self.longestBackoff)
        while true {
            let result = await calls(request, decode)
            if Task.isCancelled { return nil }
            switch result {
            case .success(let output):
                worked()
                return output
            case .failure(let error):
                switch role(error) {
                case .handled: return nil
                case .usual where !error.isTokenRefused && !error.isAccountShut: break
                case .usual, .final:
                    halt(error.isTokenRefused ? "the access token is not valid: \(error.text)" : error.text)
                    return nil
                }
                await pause(after: error, doing: doing, &backoff)
                if Task.isCancelled { return nil }
            }
        }
    }

    func pause(after error: MatrixError, doing: String, _ backoff: inout Backoff) async {
        var wait = backoff.next(spread: random())
        if case .after(let told?) = error.retry { wait = max(wait, min(told, .hours(1))) }
        if failures.isNews(doing + error.text, now: clock.now) {
            log.warning(
                "the homeserver can't be used now",
                ["account": network, "doing": doing, "reason": error.text, "seconds": String(wait.secondsRoundedUp)])
        }
        await clock.sleep(for: wait)
    }

    private func worked() {
        if failures.recovered() { log.info("the homeserver works again", ["account": network]) }
    }

    /// A suspended account may still read, and nothing else: that is told once, not with each answer.
    func shut(_ error: MatrixError) {
        guard haltReason == nil else { return }
        work.cancel(.account)
        halt(error.text)
    }

    /// The account does nothing more until its settings are loaded anew; everything else runs on.
    func halt(_ reason: String) {
        haltReason = reason
        attendant?.halted(reason)
        log.error("the Matrix account is stopped", ["account": network, "reason": reason])
        if let renewalTimer { clock.cancel(renewalTimer) }
        renewalTimer = nil
        encryption?.server = nil
        work.cancel(.rooms)
        work.cancel(.profile)
        looks.cancelAll()
        joiner.stop()
        leaver.stop()
        sender.clear()
        letters = [:]
    }
}
