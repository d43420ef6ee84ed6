extension IRCSession {
    /// When `timeoutReached` is wanted next; it may be called earlier or later. nil: never.
    public mutating func nextDeadline() -> ContinuousClock.Instant? {
        switch phase {
        case .idle, .closed: nil
        case .registering(let registration): origin.instant(registration.deadline)
        case .quitting(let until): origin.instant(until)
        case .online: origin.instant(onlineDeadline())
        }
    }

    private mutating func onlineDeadline() -> Tick {
        var next = quietDeadline
        for other in [
            channels.nextDue(), nickWatch.nextTry, joinsHeldUntil, queueDeadline, askDeadline, inquiries.nextDue,
            login.deadline,
        ] {
            if let other { next = min(next, other) }
        }
        return next
    }

    private var quietDeadline: Tick {
        (pingSince ?? lastHeard).advanced(by: settings.quietLimit)
    }

    private var queueDeadline: Tick? {
        let joins = mayJoin || channels.hasLeaving ? outbox.readyAt(IRCMessage.lineLimit / 2) ?? lastHeard : nil
        guard let lines = outbox.nextReady else { return joins }
        return joins.map { min($0, lines) } ?? lines
    }

    public mutating func timeoutReached(at now: ContinuousClock.Instant, _ effects: inout [Effect]) {
        let now = origin.tick(now)
        switch phase {
        case .idle, .closed: break
        case .registering(let registration):
            if let due = registration.introducesAt, due <= now { introduce(at: now, &effects) }
            if min(registration.limit, registration.stepLimit) <= now {
                registrationTimedOut(registration, at: now, &effects)
            }
        case .quitting(let until):
            if until <= now { close(farewell ?? CloseReason(.asked, "no answer to QUIT"), &effects) }
        case .online: onlineTimeout(at: now, &effects)
        }
    }

    private mutating func registrationTimedOut(_ registration: Registration, at now: Tick, _ effects: inout [Effect]) {
        switch registration.step {
        case .welcomed:
            goOnline(at: now, &effects)
            // We may be called so late that more is due.
            onlineTimeout(at: now, &effects)
        case .authenticating: close(CloseReason(.loginUnavailable, "no answer to the login in time"), &effects)
        case .listing, .requesting, .ended: close(CloseReason(.throttled, "no welcome in time"), &effects)
        }
    }

    private mutating func onlineTimeout(at now: Tick, _ effects: inout [Effect]) {
        checkQuiet(at: now, &effects)
        guard isOnline else { return }
        channels.timeoutReached(at: now, retry: settings.rejoin, &random)
        loginTimedOut(at: now, &effects)
        if let held = joinsHeldUntil, held <= now { joinsHeldUntil = nil }
        if let next = nickWatch.nextTry, next <= now { tryForNick(at: now, &effects) }
        releaseExpired(at: now, &effects)
        pump(at: now, &effects)
    }

    private mutating func checkQuiet(at now: Tick, _ effects: inout [Effect]) {
        guard quietDeadline <= now else { return }
        if pingSince == nil {
            sendPing(at: now, &effects)
        } else {
            close(CloseReason(.normal, "the server is silent"), &effects)
        }
    }

    mutating func sendPing(at now: Tick, _ effects: inout [Effect]) {
        let token = "gif" + String(random.next(), radix: 36)
        pingToken = token
        pingSince = now
        sendNow(IRCMessage("PING", [token]), at: now, &effects)
    }
}
