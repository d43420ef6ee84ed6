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
    /// By the device's Curve25519 key, last used first.
    private var entries: [String: [Entry]] = [:]
    private var changed: Set<String> = []

    init(_ context: CryptoContext) {
        self.context = context
    }

    /// Nil when no session reads it. A new session is kept also when what it brought turns out to be nothing to believe: it
    /// is with the device that has this key, whoever says so.
    func open(_ message: OlmMessage, from identityKey: String, account: OwnAccount, now: Int64) throws(CryptoError)
        -> [UInt8]?
    {
        try load(identityKey)
        let known = entries[identityKey] ?? []
        for (index, entry) in known.enumerated() {
            if message.type == 0, !entry.session.matches(message, from: identityKey) { continue }
            guard let plaintext = try? entry.session.decrypt(message) else {
                // It is a session's first message, which that session has read before or never will.
                if message.type == 0 { return nil }
                continue
            }
            var used = entry
            used.used = now
            used.isChanged = true
            entries[identityKey]?.remove(at: index)
            entries[identityKey]?.insert(used, at: 0)
            changed.insert(identityKey)
            return plaintext
        }
        guard message.type == 0,
            let session = try? account.keys.inboundSession(from: identityKey, message: message),
            let plaintext = try? session.decrypt(message)
        else { return nil }
        // Only now: whoever makes up a message must not use up our keys.
        try? account.keys.removeOneTimeKeys(usedBy: session)
        account.changed()
        try keep(session, with: identityKey, now: now)
        return plaintext
    }

    func keep(_ session: any OlmSession, with identityKey: String, now: Int64) throws(CryptoError) {
        try load(identityKey)
        entries[identityKey, default: []].insert(
            Entry(session: session, made: now, used: now, isChanged: true), at: 0)
        changed.insert(identityKey)
        while let last = entries[identityKey]?.last,
            entries[identityKey, default: []].count > CryptoLimits.olmSessionsOfDevice
        {
            entries[identityKey]?.removeLast()
            context.changes.olmSessions[last.session.id] = nil
            context.changes.removedOlmSessions.insert(last.session.id)
        }
    }

    func has(_ identityKey: String) throws(CryptoError) -> Bool {
        try load(identityKey)
        return entries[identityKey]?.isEmpty == false
    }

    /// Whether the session that is written with has read something of theirs; until then they get our device keys along.
    func isAnswered(_ identityKey: String) throws(CryptoError) -> Bool {
        try load(identityKey)
        return entries[identityKey]?.first?.session.hasReceivedMessage ?? false
    }

    /// Nil without a session.
    func encrypt(_ plaintext: [UInt8], for identityKey: String) throws(CryptoError) -> OlmMessage? {
        try load(identityKey)
        guard let session = entries[identityKey]?.first?.session else { return nil }
        let message = try olm { () throws(OlmError) in try session.encrypt(plaintext) }
        entries[identityKey]?[0].isChanged = true
        changed.insert(identityKey)
        return message
    }

    /// Hands what changed to the step's end.
    func flush() throws(CryptoError) {
        for identityKey in changed {
            for index in entries[identityKey, default: []].indices {
                guard let entry = entries[identityKey]?[index], entry.isChanged else { continue }
                let pickle = try olm { () throws(OlmError) in try entry.session.pickle(key: context.pickleKey) }
                context.changes.olmSessions[entry.session.id] = StoredOlmSession(
                    id: entry.session.id, identityKey: identityKey, pickle: pickle, made: entry.made, used: entry.used)
                entries[identityKey]?[index].isChanged = false
            }
        }
        changed.removeAll()
    }

    /// After everything was written; what is not in memory is read from the store.
    func trim() {
        guard entries.count > Self.devicesInMemory else { return }
        entries.removeAll(keepingCapacity: true)
    }

    private func load(_ identityKey: String) throws(CryptoError) {
        guard entries[identityKey] == nil else { return }
        var loaded: [Entry] = []
        for stored in try context.store.olmSessions(with: identityKey) {
            // One damaged session is like none; the other device will hear of a new one.
            guard let session = try? context.driver.session(from: stored.pickle, key: context.pickleKey) else {
                continue
            }
            loaded.append(Entry(session: session, made: stored.made, used: stored.used, isChanged: false))
        }
        entries[identityKey] = loaded
    }
}
