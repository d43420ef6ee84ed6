/// Keys to read others' messages, the last used in memory.
final class InboundSessions {
    struct Entry {
        let session: any InboundGroupSession
        var stored: StoredInboundGroupSession
        /// The highest index that was read.
        var highest: UInt32?
    }

    private static let inMemory = 500

    private let context: CryptoContext
    private var entries: [GroupSessionName: Entry] = [:]

    init(_ context: CryptoContext) {
        self.context = context
    }

    func find(_ name: GroupSessionName) throws(CryptoError) -> Entry? {
        if let entry = entries[name] { return entry }
        guard let stored = try context.store.inboundGroupSession(name),
            // A damaged one is like none: the key may come again.
            let session = try? context.driver.inboundGroupSession(from: stored.pickle, key: context.pickleKey)
        else { return nil }
        let entry = Entry(session: session, stored: stored, highest: try context.store.highestIndex(of: name))
        entries[name] = entry
        return entry
    }

    func keep(_ entry: Entry) throws(CryptoError) {
        let name = entry.stored.name
        if entries[name] == nil {
            // One more of this sender's; the oldest go.
            let old = try context.store.inboundGroupSessions(
                of: name.sender, beyond: CryptoLimits.inboundSessionsOfSender - 1)
            for name in old { remove(name) }
        }
        entries[name] = entry
        context.changes.removedInboundGroupSessions.remove(name)
        context.changes.inboundGroupSessions[name] = entry.stored
    }

    func remove(_ name: GroupSessionName) {
        entries[name] = nil
        context.changes.inboundGroupSessions[name] = nil
        context.changes.removedInboundGroupSessions.insert(name)
    }

    func saw(_ index: UInt32, in event: String, of name: GroupSessionName) {
        let highest = entries[name]?.highest ?? 0
        entries[name]?.highest = max(highest, index)
        context.changes.seenIndices.append(SeenIndex(session: name, index: index, event: event))
    }

    /// The event that an index was read in.
    func event(at index: UInt32, of name: GroupSessionName) throws(CryptoError) -> String? {
        // What isn't written yet, after a write that failed.
        if let seen = context.changes.seenIndices.first(where: { $0.session == name && $0.index == index }) {
            return seen.event
        }
        return try context.store.event(at: index, of: name)
    }

    /// After everything was written.
    func trim() {
        if entries.count > Self.inMemory { entries.removeAll(keepingCapacity: true) }
    }
}
