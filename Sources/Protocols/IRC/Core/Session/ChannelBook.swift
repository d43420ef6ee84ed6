/// The configured channels and where we stand with each. Only the server's echo of our JOIN means joined.
struct ChannelBook: Sendable {
    enum State: Equatable, Sendable {
        /// Tried again then. Exit: ready.
        case waiting(until: Tick)
        /// In the line of channels to join. Exit: asked.
        case ready
        /// JOIN was sent. Exits: joined, waiting, lost.
        case asked(until: Tick)
        /// Exits: waiting or lost after a kick.
        case joined(since: Tick, silencedUntil: Tick?)
        /// Not tried again on this connection, except after an invitation.
        case lost
    }

    struct Entry: Sendable {
        let name: String
        var key: String?
        var state = State.lost
        /// Waits so far; each doubles the next.
        var failures = 0
        /// The time of our JOIN by the server's clock, in milliseconds since 1970, where it tells; what is older is history.
        var joinedAt: Int64?
        /// Times in a row that we were not let speak; each doubles the next silence.
        var silences: UInt8 = 0
        /// A mode of the channel keeps notices out, and nothing else of ours.
        var takesNoNotices = false
        /// A JOIN of several was not answered for this one: it goes alone from now on.
        var goesAlone = false
        /// We were thrown out, and weren't back since.
        var wasKicked = false
        /// Not in the config: an admin invited us. We don't come back by ourselves.
        var isGuest = false

        var isJoined: Bool {
            if case .joined = state { true } else { false }
        }
    }

    /// How long the echo of a JOIN may take.
    static let answerLimit = Duration.seconds(60)
    static let silence = Duration.seconds(120)
    static let longestSilence = Duration.seconds(3600)
    static let guestLimit = 20
    /// A server that puts us into more channels than this at a time has us stay in the rest.
    static let leavingLimit = 2000
    /// A stay this long makes up for earlier kicks.
    static let goodStay = Duration.seconds(600)

    private var entries: [FoldedName: Entry] = [:]
    private var ready: [FoldedName] = []
    /// Channels to leave, as the server spelled them.
    private var leaving: [String] = []
    private var earliest: Tick?
    private var isEarliestKnown = false

    subscript(name: FoldedName) -> Entry? { entries[name] }

    var hasReady: Bool { !ready.isEmpty }
    var hasLeaving: Bool { !leaving.isEmpty }
    var names: some Collection<FoldedName> { entries.keys }

    mutating func add(_ channel: IRCSettings.Channel, as name: FoldedName) {
        if entries[name] == nil {
            entries[name] = Entry(name: channel.name, key: channel.key)
        } else {
            entries[name]?.key = channel.key
            entries[name]?.isGuest = false
        }
    }

    /// The server compares names in another way than was thought.
    mutating func refold(_ mapping: Casemapping) {
        let waiting = ready.compactMap { entries[$0] }
        ready = waiting.map { mapping.fold($0.name) }
        let all = entries.values
        entries.removeAll()
        for entry in all { entries[mapping.fold(entry.name)] = entry }
    }

    mutating func remove(_ name: FoldedName) {
        entries[name] = nil
        ready.removeAll { $0 == name }
        isEarliestKnown = false
    }

    /// Puts a channel into the line, unless we are there or on our way.
    mutating func makeReady(_ name: FoldedName) {
        switch entries[name]?.state {
        case .waiting, .lost:
            entries[name]?.state = .ready
            ready.append(name)
            isEarliestKnown = false
        case .ready, .asked, .joined, nil: break
        }
    }

    /// Earlier refusals say nothing about the channel's new settings.
    mutating func tryAnew(_ name: FoldedName) {
        entries[name]?.failures = 0
        makeReady(name)
    }

    /// `time` is the server's.
    mutating func setJoined(_ name: FoldedName, at now: Tick, time: Int64?) {
        set(name, .joined(since: now, silencedUntil: nil))
        entries[name]?.joinedAt = time
        entries[name]?.wasKicked = false
        entries[name]?.takesNoNotices = false
    }

    /// True if that is news: whoever is refused once more is refused for more than that.
    mutating func refuseNotices(_ name: FoldedName) -> Bool {
        guard entries[name]?.takesNoNotices == false else { return false }
        entries[name]?.takesNoNotices = true
        return true
    }

    /// Nothing is said there for a while, longer each time.
    mutating func silence(_ name: FoldedName, at now: Tick) {
        guard var entry = entries[name], case .joined(let since, let before) = entry.state else { return }
        // Several lines refused at once count for one, and what is long ago doesn't count.
        if let before, now < before { return }
        if let before, before.advanced(by: Self.longestSilence) < now { entry.silences = 0 }
        let wait = min(Self.silence * (1 << min(Int(entry.silences), 6)), Self.longestSilence)
        entry.silences = min(entry.silences + 1, 6)
        entry.state = .joined(since: since, silencedUntil: now.advanced(by: wait))
        entries[name] = entry
    }

    /// The channel may let us speak again.
    mutating func unsilence(_ name: FoldedName) {
        entries[name]?.takesNoNotices = false
        guard case .joined(let since, _?) = entries[name]?.state else { return }
        entries[name]?.state = .joined(since: since, silencedUntil: nil)
    }

    mutating func noteKick(_ name: FoldedName) {
        entries[name]?.wasKicked = true
    }

    /// Adds a channel that an admin invited us to; false if there are too many of those.
    mutating func addGuest(_ name: String, as folded: FoldedName) -> Bool {
        guard entries.values.lazy.filter(\.isGuest).count < Self.guestLimit else { return false }
        entries[folded] = Entry(name: name, isGuest: true)
        return true
    }

    /// Out, or refused: waits longer each time, `atLeast` so long; for good without a wait.
    mutating func setOut(
        _ name: FoldedName, retry: IRCSettings.Waits?, atLeast least: Duration = .zero, at now: Tick,
        _ random: inout Randomness
    ) {
        guard var entry = entries[name] else { return }
        if case .joined(let since, _) = entry.state, since.advanced(by: Self.goodStay) <= now { entry.failures = 0 }
        var state = State.lost
        if let retry {
            let wait = max(least, min(retry.first * (1 << min(entry.failures, 20)), retry.longest))
            state = .waiting(until: now.advanced(by: random.spread(wait)))
            entry.failures += 1
        }
        entries[name] = entry
        set(name, state)
    }

    private mutating func set(_ name: FoldedName, _ state: State) {
        guard let before = entries[name]?.state else { return }
        if before == .ready { ready.removeAll { $0 == name } }
        entries[name]?.state = state
        isEarliestKnown = false
    }

    /// When a wait ends.
    mutating func nextDue() -> Tick? {
        if !isEarliestKnown {
            earliest = entries.values.compactMap(\.due).min()
            isEarliestKnown = true
        }
        return earliest
    }

    /// Channels whose wait is over go into the line; a JOIN without an answer counts as refused.
    mutating func timeoutReached(at now: Tick, retry: IRCSettings.Waits?, _ random: inout Randomness) {
        guard let due = nextDue(), due <= now else { return }
        // In order of name, so that the same story always sends the same lines.
        let over = entries.filter { $0.value.due.map { $0 <= now } ?? false }
        for (name, entry) in over.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
            if case .asked = entry.state {
                entries[name]?.goesAlone = true
                setOut(name, retry: retry, at: now, &random)
            } else {
                makeReady(name)
            }
        }
    }

    /// Puts a channel that isn't in the table into the line of those to leave.
    mutating func leave(_ name: String) {
        if leaving.count < Self.leavingLimit { leaving.append(name) }
    }

    /// The next PART, of as many channels as the server and the length of a line allow.
    mutating func nextPart(_ support: ServerSupport) -> IRCMessage? {
        var length = "PART ".utf8.count + 2
        let group = leaving.prefix(support.targets(of: "PART")).prefix { name in
            length += name.utf8.count + 1
            return length <= support.lineLength
        }
        let names = group.isEmpty ? leaving.prefix(1) : group
        guard !names.isEmpty else { return nil }
        leaving.removeFirst(names.count)
        return IRCMessage("PART", [names.joined(separator: ",")])
    }

    /// The next JOIN: as many channels as the server and the length of a line allow, those with a key first.
    mutating func nextJoin(_ support: ServerSupport, at now: Tick) -> IRCMessage? {
        guard let first = ready.first, let entry = entries[first] else { return nil }
        let group = entry.goesAlone ? [first] : gather(support)
        for name in group { entries[name]?.state = .asked(until: now.advanced(by: Self.answerLimit)) }
        if ready.starts(with: group) {
            ready.removeFirst(group.count)
        } else {
            ready.removeAll { entries[$0]?.state != .ready }
        }
        isEarliestKnown = false
        let channels = group.compactMap { entries[$0] }
        let keyed = channels.filter { $0.key != nil }
        let list = (keyed + channels.filter { $0.key == nil }).map(\.name).joined(separator: ",")
        return IRCMessage("JOIN", keyed.isEmpty ? [list] : [list, keyed.compactMap(\.key).joined(separator: ",")])
    }

    /// Channels that this server can't take, out of the line: names over CHANNELLEN, and more of a kind than CHANLIMIT.
    mutating func takeImpossible(_ support: ServerSupport) -> [(name: FoldedName, isTooLong: Bool)] {
        guard support.channelLength != nil || !support.channelLimits.isEmpty else { return [] }
        let there = entries.values.filter { $0.isJoined || $0.isAsked }
        var room = support.channelLimits.map { kind in
            kind.limit - there.lazy.filter { kind.types.contains($0.name.utf8.first ?? 0) }.count
        }
        return ready.compactMap { name in
            guard let entry = entries[name] else { return nil }
            if let limit = support.channelLength, entry.name.utf8.count > limit { return (name, true) }
            let kind = support.channelLimits.firstIndex { $0.types.contains(entry.name.utf8.first ?? 0) }
            guard let kind else { return nil }
            room[kind] -= 1
            return room[kind] < 0 ? (name, false) : nil
        }
    }

    private func gather(_ support: ServerSupport) -> [FoldedName] {
        let limit = support.targets(of: "JOIN")
        var group: [FoldedName] = []
        var length = "JOIN  ".utf8.count + 2
        for name in ready where group.count < limit {
            guard let entry = entries[name], !entry.goesAlone else { continue }
            length += entry.name.utf8.count + 1 + (entry.key.map { $0.utf8.count + 1 } ?? 0)
            if length > support.lineLength, !group.isEmpty { break }
            group.append(name)
        }
        return group
    }
}

extension ChannelBook.Entry {
    var due: Tick? {
        switch state {
        case .waiting(let until), .asked(let until): until
        case .ready, .joined, .lost: nil
        }
    }

    var isAsked: Bool {
        if case .asked = state { true } else { false }
    }

    func isSilenced(at now: Tick) -> Bool {
        if case .joined(_, let until?) = state { now < until } else { false }
    }
}
