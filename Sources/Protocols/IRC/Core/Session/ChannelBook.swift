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
        /// A JOIN of several was not answered for this one: it goes alone from now on.
        var goesAlone = false

        var isJoined: Bool {
            if case .joined = state { true } else { false }
        }
    }

    /// How long the echo of a JOIN may take.
    static let answerLimit = Duration.seconds(60)
    /// A stay this long makes up for earlier kicks.
    static let goodStay = Duration.seconds(600)

    private var entries: [FoldedName: Entry] = [:]
    private var ready: [FoldedName] = []
    private var earliest: Tick?
    private var isEarliestKnown = false

    subscript(name: FoldedName) -> Entry? { entries[name] }

    var hasReady: Bool { !ready.isEmpty }
    var names: some Collection<FoldedName> { entries.keys }

    mutating func add(_ channel: IRCSettings.Channel, as name: FoldedName) {
        if entries[name] == nil {
            entries[name] = Entry(name: channel.name, key: channel.key)
        } else {
            entries[name]?.key = channel.key
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

    mutating func setJoined(_ name: FoldedName, at now: Tick) {
        set(name, .joined(since: now, silencedUntil: nil))
    }

    mutating func silence(_ name: FoldedName, until: Tick) {
        guard case .joined(let since, _) = entries[name]?.state else { return }
        entries[name]?.state = .joined(since: since, silencedUntil: until)
    }

    /// Out, or refused: waits longer each time; for good without a wait.
    mutating func setOut(_ name: FoldedName, retry: IRCSettings.Rejoin?, at now: Tick, _ random: inout Randomness) {
        guard var entry = entries[name] else { return }
        if case .joined(let since, _) = entry.state, since.advanced(by: Self.goodStay) <= now { entry.failures = 0 }
        var state = State.lost
        if let retry {
            let wait = min(retry.first * (1 << min(entry.failures, 20)), retry.longest)
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
    mutating func timeoutReached(at now: Tick, retry: IRCSettings.Rejoin?, _ random: inout Randomness) {
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

    /// The next JOIN: as many channels as the server and the length of a line allow, those with a key first.
    mutating func nextJoin(targets: Int?, at now: Tick) -> IRCMessage? {
        guard let first = ready.first, let entry = entries[first] else { return nil }
        let group = entry.goesAlone ? [first] : gather(limit: targets ?? .max)
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

    private func gather(limit: Int) -> [FoldedName] {
        var group: [FoldedName] = []
        var length = "JOIN  ".utf8.count + 2
        for name in ready where group.count < limit {
            guard let entry = entries[name], !entry.goesAlone else { continue }
            length += entry.name.utf8.count + 1 + (entry.key.map { $0.utf8.count + 1 } ?? 0)
            if length > IRCMessage.lineLimit, !group.isEmpty { break }
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

    func isSilenced(at now: Tick) -> Bool {
        if case .joined(_, let until?) = state { now < until } else { false }
    }
}
