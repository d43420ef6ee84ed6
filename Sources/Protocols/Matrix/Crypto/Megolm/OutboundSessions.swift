import JSON

/// Our sessions, one a room, the last used in memory.
final class OutboundSessions {
    private static let inMemory = 500
    private static let sharing = "megolm.sharing."

    private let context: CryptoContext
    private var rooms: [String: OutboundRoom] = [:]
    /// When each was last touched, counted.
    private var touched: [String: UInt64] = [:]
    private var touches: UInt64 = 0

    init(_ context: CryptoContext) {
        self.context = context
    }

    subscript(room: String) -> OutboundRoom? {
        get { rooms[room] }
        set {
            rooms[room] = newValue
            touches += 1
            touched[room] = touches
        }
    }

    /// The session that the room has, read from the store if need be.
    func find(_ room: String) throws(CryptoError) -> OutboundRoom? {
        if let known = rooms[room] { return known }
        if case .some(nil) = context.changes.outboundGroupSessions[room] { return nil }
        // Who got the key in the calls that were under way when the program ended, nobody knows: they couldn't be told from
        // those who never had it, once they leave.
        guard try context.value(of: Self.sharing + room) == nil else { return nil }
        guard let stored = try context.store.outboundGroupSession(in: room),
            let session = try? context.driver.outboundGroupSession(from: stored.pickle, key: context.pickleKey)
        else { return nil }
        var loaded = OutboundRoom(session: session, stored: stored)
        for recipient in try context.store.recipients(of: stored.id) {
            if recipient.isWithheld { loaded.told.insert(recipient) } else { loaded.given.insert(recipient) }
        }
        rooms[room] = loaded
        return loaded
    }

    /// A new session, instead of one that may be there.
    func make(_ audience: RoomAudience, now: Int64) throws(CryptoError) -> OutboundRoom {
        forget(audience.room)
        let session = try olm { () throws(OlmError) in try context.driver.makeOutboundGroupSession() }
        let made = OutboundRoom(
            session: session,
            stored: StoredOutboundGroupSession(
                id: session.id, room: audience.room, pickle: [], made: now, messageCount: 0,
                historyVisibility: audience.historyVisibility))
        rooms[audience.room] = made
        try keep(audience.room)
        return rooms[audience.room] ?? made
    }

    func forget(_ room: String) {
        if let id = rooms[room]?.stored.id { context.changes.recipients[id] = nil }
        rooms[room] = nil
        context.changes.outboundGroupSessions[room] = .some(nil)
        markSharing(room, false)
    }

    /// Calls with the key are under way: written before they are given out.
    func markSharing(_ room: String, _ isUnderWay: Bool) {
        context.changes.values[Self.sharing + room] = .some(isUnderWay ? [1] : nil)
    }

    /// The ratchet as it is now.
    func keep(_ room: String, messages: Int = 0) throws(CryptoError) {
        guard let known = rooms[room] else { return }
        let pickle = try olm { () throws(OlmError) in try known.session.pickle(key: context.pickleKey) }
        let stored = StoredOutboundGroupSession(
            id: known.stored.id, room: room, pickle: pickle, made: known.stored.made,
            messageCount: known.stored.messageCount + messages, historyVisibility: known.stored.historyVisibility)
        rooms[room]?.stored = stored
        context.changes.outboundGroupSessions[room] = stored
    }

    /// After everything was written. Rooms to whose people the key is on its way stay.
    func trim() {
        guard rooms.count > Self.inMemory else { return }
        let limit = touches - UInt64(Self.inMemory / 2)
        rooms = rooms.filter { !$0.value.inFlight.isEmpty || $0.value.isSharing || touched[$0.key] ?? 0 > limit }
        touched = touched.filter { rooms[$0.key] != nil }
    }
}
