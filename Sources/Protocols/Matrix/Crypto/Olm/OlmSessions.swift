/// Olm sessions with other devices, several with each: the one that decrypted last is written with ("m.olm.v1").
///
/// What changed is pickled once, at the end of a step.
final class OlmSessions {
    private struct Entry {
        let session: any OlmSession
        let made: Int64
        var used: Int64
        var isChanged: Bool
    }

    /// Devices whose sessions stay in memory between steps; others are read again when they are needed.
    private static let devicesInMemory = 1_000

    private let context: CryptoContext
    /// By whom they are with, last used first.
    private var entries: [SessionPeer: [Entry]] = [:]
    private var changed: Set<SessionPeer> = []

    init(_ context: CryptoContext) {
        self.context = context
    }

    /// Nil when no session reads it. A new session is kept also when what it brought turns out to be nothing to believe: it
    /// is used for this sender alone.
    func open(_ message: OlmMessage, from peer: SessionPeer, account: OwnAccount, now: Int64) throws(CryptoError)
        -> [UInt8]?
    {
        try load(peer)
        let known = entries[peer] ?? []
        for (index, entry) in known.enumerated() {
            if message.type == 0, !entry.session.matches(message, from: peer.identityKey) { continue }
            guard let plaintext = try? entry.session.decrypt(message) else {
                // It is a session's first message, which that session has read before or never will.
                if message.type == 0 { return nil }
                continue
            }
            var used = entry
            used.used = now
            used.isChanged = true
            entries[peer]?.remove(at: index)
            entries[peer]?.insert(used, at: 0)
            changed.insert(peer)
            return plaintext
        }
        guard message.type == 0,
            let session = try? account.keys.inboundSession(from: peer.identityKey, message: message),
            let plaintext = try? session.decrypt(message)
        else { return nil }
        // Only now: whoever makes up a message must not use up our keys.
        try? account.keys.removeOneTimeKeys(usedBy: session)
        account.changed()
        try keep(session, with: peer, now: now)
        return plaintext
    }

    func keep(_ session: any OlmSession, with peer: SessionPeer, now: Int64) throws(CryptoError) {
        try load(peer)
        entries[peer, default: []].insert(
            Entry(session: session, made: now, used: now, isChanged: true), at: 0)
        changed.insert(peer)
        while let last = entries[peer]?.last,
            entries[peer, default: []].count > CryptoLimits.olmSessionsOfDevice
        {
            entries[peer]?.removeLast()
            context.changes.olmSessions[last.session.id] = nil
            context.changes.removedOlmSessions.insert(last.session.id)
        }
    }

    func has(_ peer: SessionPeer) throws(CryptoError) -> Bool {
        try load(peer)
        return entries[peer]?.isEmpty == false
    }

    /// Whether the session that is written with has read something of theirs; until then they get our device keys along.
    func isAnswered(_ peer: SessionPeer) throws(CryptoError) -> Bool {
        try load(peer)
        return entries[peer]?.first?.session.hasReceivedMessage ?? false
    }

    /// Nil without a session.
    func encrypt(_ plaintext: [UInt8], for peer: SessionPeer) throws(CryptoError) -> OlmMessage? {
        try load(peer)
        guard let session = entries[peer]?.first?.session else { return nil }
        let message = try olm { () throws(OlmError) in try session.encrypt(plaintext) }
        entries[peer]?[0].isChanged = true
        changed.insert(peer)
        return message
    }

    /// Hands what changed to the step's end.
    func flush() throws(CryptoError) {
        for peer in changed {
            for index in entries[peer, default: []].indices {
                guard let entry = entries[peer]?[index], entry.isChanged else { continue }
                let pickle = try olm { () throws(OlmError) in try entry.session.pickle(key: context.pickleKey) }
                context.changes.olmSessions[entry.session.id] = StoredOlmSession(
                    id: entry.session.id, identityKey: peer.name, pickle: pickle, made: entry.made, used: entry.used)
                entries[peer]?[index].isChanged = false
            }
        }
        changed.removeAll()
    }

    /// After everything was written; what is not in memory is read from the store.
    func trim() {
        guard entries.count > Self.devicesInMemory else { return }
        entries.removeAll(keepingCapacity: true)
    }

    private func load(_ peer: SessionPeer) throws(CryptoError) {
        guard entries[peer] == nil else { return }
        var loaded: [Entry] = []
        for stored in try context.store.olmSessions(with: peer.name) {
            // One damaged session is like none; the other device will hear of a new one.
            guard let session = try? context.driver.session(from: stored.pickle, key: context.pickleKey) else {
                continue
            }
            loaded.append(Entry(session: session, made: stored.made, used: stored.used, isChanged: false))
        }
        entries[peer] = loaded
    }
}
