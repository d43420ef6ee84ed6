/// What the handlers share.
extension IRCSession {
    /// Sends past the queue: registration, PONG, QUIT.
    mutating func sendNow(_ message: IRCMessage, at now: Tick, _ effects: inout [Effect]) {
        let line = message.encoded()
        // Before the welcome the server's answers set the pace.
        if isOnline { outbox.noteSent(line.count, at: now) }
        effects.append(.send(line))
    }

    /// Sends in its turn.
    mutating func queue(_ message: IRCMessage, at now: Tick, _ effects: inout [Effect]) {
        guard !outbox.isFull else { return }
        outbox.append(message.encoded(), .housekeeping, at: now)
        pump(at: now, &effects)
    }

    /// Lets out what may go now: channels to leave and to join first, they are few lines.
    mutating func pump(at now: Tick, _ effects: inout [Effect]) {
        guard isOnline else { return }
        dropOldAnswers(at: now, &effects)
        while channels.hasLeaving, outbox.mayPass(Pace.bytesOfOneLine, at: now),
            let part = channels.nextPart(support)
        {
            sendNow(part, at: now, &effects)
        }
        if mayJoin { leaveOutImpossible(at: now, &effects) }
        while mayJoin, outbox.mayPass(IRCMessage.lineLimit / 2, at: now),
            let join = channels.nextJoin(support, at: now)
        {
            sendNow(join, at: now, &effects)
        }
        while let line = outbox.next(at: now) { effects.append(.send(line)) }
        askAboutPeople(at: now, &effects)
    }

    var mayJoin: Bool { joinsHeldUntil == nil && channels.hasReady }

    mutating func dropOldAnswers(at now: Tick, _ effects: inout [Effect]) {
        let dropped = outbox.dropOld(settings.answerLimit, at: now)
        if dropped > 0 { effects.append(.emit(.answersDropped(dropped))) }
    }

    mutating func close(_ reason: CloseReason, _ effects: inout [Effect]) {
        guard !isClosed else { return }
        phase = .closed
        effects.append(.close(reason))
    }

    func isOurs(_ nick: String) -> Bool {
        support.casemapping.equal(nick, self.nick)
    }

    /// A name as settings and limits know it: the configured spelling where there is one, else folded.
    public func canonicalName(_ name: String) -> String {
        let folded = support.casemapping.fold(name)
        return channels[folded]?.name ?? folded.text
    }

    /// The same for a channel that we are in or are to be in; nil for others.
    public func knownChannel(_ name: String) -> String? {
        channels[support.casemapping.fold(name)]?.name
    }

    /// A nick or account as it is compared on this network.
    public func fold(_ name: String) -> String {
        support.casemapping.fold(name).text
    }

    /// Fills the table of channels from the settings, under the casemapping in force.
    mutating func fileChannels() {
        for channel in settings.channels { channels.add(channel, as: support.casemapping.fold(channel.name)) }
    }

    mutating func configureRelevance() {
        relevance.configure(
            nick: nick, triggers: settings.triggers, hasRelays: !settings.relays.isEmpty, support: support,
            needsEverybody: capabilities.has("extended-join") && !capabilities.tellsAccounts,
            hasEcho: capabilities.has("echo-message"))
        watchOurNicks()
    }

    mutating func watchOurNicks() {
        relevance.watch(support.casemapping.fold(nick))
        relevance.watch(support.casemapping.fold(wantedNick))
    }

    /// New settings without a new connection: who is ignored, what triggers, which channels. What belongs to the
    /// connection itself (nick, login, flood control) stays as it is.
    public mutating func update(
        _ new: IRCSettings, at now: ContinuousClock.Instant, _ effects: inout [Effect]
    ) {
        let now = origin.tick(now)
        settings.ignored = new.ignored
        settings.triggers = new.triggers
        settings.commands = new.commands
        settings.ageLimit = new.ageLimit
        settings.relays = new.relays
        settings.admins = new.admins
        settings.encoding = new.encoding
        settings.rejoin = new.rejoin
        settings.channels = new.channels
        configureRelevance()
        let wanted = Set(new.channels.map { support.casemapping.fold($0.name) })
        for name in channels.names.filter({ !wanted.contains($0) && channels[$0]?.isGuest == false }) {
            let entry = channels[name]
            channels.remove(name)
            _ = outbox.drop(for: name)
            if let entry, entry.isJoined { channels.leave(entry.name) }
        }
        // A channel that is new, or has another key than the one that was refused, isn't kept waiting.
        let changed = new.channels.filter { channel in
            guard let entry = channels[support.casemapping.fold(channel.name)] else { return true }
            return entry.key != channel.key
        }
        fileChannels()
        if isOnline { for channel in changed { channels.tryAnew(support.casemapping.fold(channel.name)) } }
        pump(at: now, &effects)
    }
}
