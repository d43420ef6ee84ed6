public import Base
public import Bot
public import Chat
public import GiphySearch
public import MatrixAdapter
public import RateLimiter

extension StateStore: BotStore {
    public func lastShown(in conversation: Conversation) -> [String: UInt64] {
        memory.shown.uses(in: conversation)
    }

    /// The longest ago first.
    package func shown(in conversation: Conversation) -> [String] {
        memory.shown.ids(in: conversation)
    }

    public func record(shown id: String, in conversation: Conversation, at time: WallTime) {
        if let forgotten = memory.shown.record(id, in: conversation, at: time) { append(.forgotten(forgotten)) }
        append(.shown(id, conversation, time))
    }

    public func takeAdminRecord() -> AdminRecord {
        defer { memory.admin = AdminRecord() }
        return memory.admin
    }

    public func record(_ events: [AdminEvent]) {
        for event in events { append(.administered(event)) }
    }

    public func takeSavedBuckets() -> [SavedBucket] {
        defer { memory.buckets = [] }
        return memory.buckets
    }

    public func record(_ bucket: SavedBucket) {
        pending.note(bucket, of: bucket.key)
        writeSoon()
    }

    public func forget(bucket: LimitKey) {
        pending.note(nil, of: bucket)
        writeSoon()
    }
}

extension StateStore: AnsweredStore {
    public func wasAnswered(_ id: String, in network: String) -> Bool {
        memory.answered.contains(id, in: network)
    }

    public func record(answered id: String, in network: String, at time: WallTime) {
        guard memory.answered.record(id, in: network, at: time) else { return }
        appendOwed(.answered(id, network: network, time))
    }
}

extension StateStore: BudgetStore {
    public func calls(of account: String, since: WallTime) -> [SpentCall] {
        let window = clock.wall.milliseconds - since.milliseconds
        memory.calls.note(window: .milliseconds(max(0, window)), of: account)
        return memory.calls.calls(of: account, since: since)
    }

    public func record(callOf account: String, by share: String, at time: WallTime) {
        let call = SpentCall(at: time, share: share)
        memory.calls.record(account, call)
        append(.called(account: account, call))
    }

    public func remove(callOf account: String, by share: String, at time: WallTime) {
        let call = SpentCall(at: time, share: share)
        guard memory.calls.remove(account, call) else { return }
        append(.returned(account: account, call))
    }
}

extension StateStore: MatrixStore {
    public func syncPosition(of account: String) -> String? {
        memory.positions[account]
    }

    public func save(syncPosition: String?, of account: String) {
        guard memory.positions[account] != syncPosition else { return }
        memory.positions[account] = syncPosition
        pending.positions.updateValue(syncPosition, forKey: account)
        writeSoon()
    }

    public func upgrades(of account: String) -> [RoomUpgrade] {
        memory.upgrades.all(of: account)
    }

    public func save(_ upgrade: RoomUpgrade, of account: String) {
        guard memory.upgrades.record(upgrade, of: account) else { return }
        append(.upgraded(upgrade, account: account))
    }

    public func session(of account: String) -> StoredSession? {
        memory.sessions[account]
    }

    public func save(session: StoredSession?, of account: String) {
        for secret in session?.secrets ?? [] { log.addSecret(secret) }
        guard memory.sessions[account] != session else { return }
        memory.sessions[account] = session
        pending.sessions.updateValue(session, forKey: account)
        writeNow()
    }
}
