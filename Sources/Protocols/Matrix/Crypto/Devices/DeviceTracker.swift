import JSON

/// Whose devices are followed, and what is known of them ("Tracking the device list for a user"). Everything known is in
/// memory too, so that asking costs nothing.
final class DeviceTracker: CryptoPart {
    /// Beyond them nobody more is followed, and gets no keys.
    static let mostUsers = 20_000
    /// In one `/keys/query`.
    private static let usersInCall = 200
    private static let callsAtOnce = 4

    private struct Question {
        /// With the count of changes known when it was asked.
        let users: [String: UInt64]
    }

    private let context: CryptoContext
    private var users: [String: TrackedUser] = [:]
    /// Those to be asked for; the rest isn't looked at.
    private var outdated: Set<String> = []
    private var questions: [UInt64: Question] = [:]
    private var listChanges: ListChanges
    private var notices: [CryptoNotice] = []
    /// Counts every change to anybody's devices or identity, and every hint of one: equal counts mean that nothing has to be
    /// looked at again.
    private(set) var generation: UInt64 = 0

    init(_ context: CryptoContext) throws(CryptoError) {
        self.context = context
        listChanges = try ListChanges(context)
        for stored in try context.store.trackedUsers() {
            // Never told is marked as outdated without anything known.
            let isKnown = !stored.isOutdated || !stored.devices.isEmpty || stored.identity != nil
            users[stored.id] = TrackedUser(stored, isKnown: isKnown)
            if stored.isOutdated { outdated.insert(stored.id) }
        }
        try follow([context.userID])
    }

    /// What a sync said of `device_lists`; only people who are followed are marked.
    func received(changed: [String], left: [String], nextBatch: String) throws(CryptoError) {
        for id in changed { mark(id) }
        for id in left where id != context.userID { forget(id) }
        listChanges.received(nextBatch)
    }

    /// Syncs go on from here. With a gap since the last one seen, the server is asked what changed meanwhile.
    func resumes(from position: String?) { listChanges.resumes(from: position) }

    /// Begins to follow those who aren't yet; `makeCalls` asks for their devices.
    func follow(_ ids: [String]) throws(CryptoError) {
        for id in ids where users[id] == nil && users.count < Self.mostUsers && Self.server(of: id) != nil {
            let stored = StoredUser(id: id, isOutdated: true, devices: [], identity: nil)
            users[id] = TrackedUser(stored, isKnown: false)
            outdated.insert(id)
            context.changes.users.updateValue(stored, forKey: id)
        }
    }

    /// Nil for people who aren't followed or whose devices were never told.
    func user(_ id: String) -> StoredUser? {
        guard let entry = users[id], entry.isKnown else { return nil }
        return entry.stored
    }

    /// Whether the devices of all of them are known and nothing changed since; someone whose server doesn't answer
    /// ("failures") counts as known, with the devices last seen, so that nobody can silence a room.
    func isCurrent(_ ids: [String]) -> Bool {
        guard !listChanges.isOpen else { return false }
        return ids.allSatisfy { id in
            users[id]?.isCurrent ?? (users.count >= Self.mostUsers || Self.server(of: id) == nil)
        }
    }

    /// The device of a `sender_device_keys` or `/keys/query` object: nil unless it is signed by itself and names this user;
    /// `isCrossSigned` by what is known of the user's identity.
    func checked(_ deviceKeys: JSONValue, of user: String) -> Device? {
        guard let device = CheckedDevice(deviceKeys, of: user, driver: context.driver) else { return nil }
        let identity = self.user(user)?.identity
        return device.device(
            of: user, isCrossSigned: device.isSigned(by: identity, of: user, driver: context.driver))
    }

    func takeNotices() -> [CryptoEvent] {
        defer { notices = [] }
        return notices.map(CryptoEvent.notice)
    }

    // MARK: Calls

    func makeCalls(now: Int64) throws(CryptoError) {
        if let call = listChanges.call() { context.calls.add(call, for: self) }
        guard !outdated.isEmpty, !listChanges.isOpen else { return }
        var local: [String] = []
        var remote: [String] = []
        var failing: [String] = []
        let home = Self.server(of: context.userID)
        for id in outdated {
            users[id]?.lookAtTheClock(now: now)
            guard let entry = users[id], !entry.isAsked, entry.notBefore <= now else { continue }
            // Others must not wait for a server that didn't answer.
            if entry.failures > 0 {
                failing.append(id)
            } else if Self.server(of: id) == home {
                local.append(id)
            } else {
                remote.append(id)
            }
        }
        for group in [local, remote, failing] {
            var rest = group.sorted()[...]
            while !rest.isEmpty, questions.count < Self.callsAtOnce {
                ask(Array(rest.prefix(Self.usersInCall)), now: now)
                rest = rest.dropFirst(Self.usersInCall)
            }
        }
    }

    private func ask(_ ids: [String], now: Int64) {
        for id in ids { users[id]?.asked(now: now) }
        let counts = Dictionary(uniqueKeysWithValues: ids.map { ($0, users[$0]?.changes ?? 0) })
        questions[context.calls.add(.queryKeys(users: ids), for: self)] = Question(users: counts)
    }

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    {
        if case .keyChanges(_, let end) = call {
            for id in body["changed"]?.array ?? [] { id.string.map { mark($0) } }
            for id in body["left"]?.array ?? [] { if let id = id.string, id != context.userID { forget(id) } }
            listChanges.answered(upTo: end)
            return []
        }
        guard let question = questions.removeValue(forKey: id) else { return [] }
        let failing = Set(body["failures"]?.object?.members.map(\.key) ?? [])
        for (id, changes) in question.users {
            guard var entry = users[id] else { continue }
            entry.isAsked = false
            let told = body["device_keys"]?[id]
            if told?.object?.members.isEmpty ?? true, let server = Self.server(of: id), failing.contains(server) {
                entry.failed(now: now)
                users[id] = entry
                continue
            }
            // Changed while the question was under way: the answer may be from before, so it is asked again.
            let isNewest = entry.changes == changes
            entry.answered(isNewest: isNewest)
            entry.isKnown = true
            let stored = updated(entry.stored, told: told, body).outdated(!isNewest)
            if !stored.isOutdated { outdated.remove(id) }
            if stored.devices != entry.stored.devices || stored.identity != entry.stored.identity { generation += 1 }
            entry.stored = stored
            users[id] = entry
            context.changes.users.updateValue(stored, forKey: id)
        }
        return takeNotices()
    }

    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        if case .keyChanges = call {
            // The position is too old for it: everybody is asked for.
            for id in Array(users.keys) { mark(id) }
            return listChanges.gaveUp()
        }
        guard let question = questions.removeValue(forKey: id) else { return }
        let ids = question.users.keys.sorted()
        for id in ids { users[id]?.isAsked = false }
        guard ids.count > 1 else {
            for id in ids { users[id]?.failed(now: now) }
            return
        }
        // One of them may be what the server doesn't like; halves find out which.
        ask(Array(ids[..<(ids.count / 2)]), now: now)
        ask(Array(ids[(ids.count / 2)...]), now: now)
    }

    var nextDeadline: Int64? {
        guard !outdated.isEmpty else { return nil }
        return outdated.lazy.compactMap { id in
            guard let entry = self.users[id] else { return nil }
            if entry.failures > 0 { return entry.isAsked ? nil : entry.notBefore }
            return entry.lateAt
        }.min()
    }

    // MARK: What is known

    private func mark(_ id: String) {
        guard var entry = users[id] else { return }
        entry.changed()
        outdated.insert(id)
        generation += 1
        if !entry.stored.isOutdated {
            entry.stored = entry.stored.outdated(true)
            context.changes.users.updateValue(entry.stored, forKey: id)
        }
        users[id] = entry
    }

    /// A few of one answer: nobody fills the log with devices that are none.
    private func note(_ notice: CryptoNotice) {
        if notices.count < 20 { notices.append(notice) }
    }

    private func forget(_ id: String) {
        guard users.removeValue(forKey: id) != nil else { return }
        outdated.remove(id)
        generation += 1
        context.changes.users.updateValue(nil, forKey: id)
    }

    private func updated(_ known: StoredUser, told: JSONValue?, _ body: JSONValue) -> StoredUser {
        let identity = identity(known, body)
        var devices: [Device] = []
        var members = told?.object?.members ?? []
        if members.count > CryptoLimits.devicesOfUser {
            let ids = Set(known.devices.map(\.id))
            members = members.filter { ids.contains($0.key) } + members.filter { !ids.contains($0.key) }
        }
        var seen: Set<String> = []
        for member in members where devices.count < CryptoLimits.devicesOfUser {
            let before = known.devices.first { $0.id == member.key }
            guard let device = CheckedDevice(member.value, of: known.id, driver: context.driver),
                device.id == member.key, seen.insert(device.id).inserted
            else {
                note(.unusableDevice(user: known.id, device: member.key))
                continue
            }
            if let before, before.ed25519 != device.ed25519 {
                note(.deviceKeyChanged(user: known.id, device: device.id))
                devices.append(before)
                continue
            }
            let isCrossSigned = device.isSigned(by: identity, of: known.id, driver: context.driver)
            devices.append(device.device(of: known.id, isCrossSigned: isCrossSigned))
        }
        return StoredUser(id: known.id, isOutdated: known.isOutdated, devices: devices, identity: identity)
    }

    /// Who was seen with cross-signing is held to it: a server that leaves the keys out gains nothing.
    private func identity(_ known: StoredUser, _ body: JSONValue) -> UserIdentity? {
        guard let told = CheckedIdentity(body, of: known.id, driver: context.driver) else { return known.identity }
        let before = known.identity
        if let before, before.masterKey != told.masterKey { note(.identityChanged(user: known.id)) }
        let kept = before?.masterKey == told.masterKey ? before?.selfSigningKey : nil
        return UserIdentity(masterKey: told.masterKey, selfSigningKey: told.selfSigningKey ?? kept)
    }

    /// What follows the first colon; nil for what is no user id.
    static func server(of id: String) -> String? {
        guard id.utf8.first == UInt8(ascii: "@"), id.utf8.count <= 255,
            let colon = id.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let server = id[id.utf8.index(after: colon)...]
        return server.isEmpty ? nil : String(server)
    }
}
