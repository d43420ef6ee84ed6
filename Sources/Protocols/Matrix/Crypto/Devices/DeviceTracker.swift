import JSON

/// Whose devices are followed, and what is known of them ("Tracking the device list for a user"). Everything known is in
/// memory too, so that asking costs nothing.
final class DeviceTracker: CryptoPart {
    /// Beyond them those go who weren't seen in a room since the start; then nobody more is followed, and gets no keys.
    static let mostUsers = 20_000
    /// People who needn't share a room; beyond them the ones that came first go.
    static let mostGuests = 50
    /// In one `/keys/query`.
    private static let usersInCall = 200
    private static let callsAtOnce = 4

    private struct Question {
        /// With the count of changes known when it was asked.
        let users: [String: UInt64]
    }

    private let context: CryptoContext
    /// How many devices there may be beyond the sure ones of everybody, and how many there are.
    private let furtherPlaces: Int
    private var furtherDevices = 0
    private var users: [String: TrackedUser] = [:]
    /// Known of an earlier run, and not seen in a room in this one.
    private var unseen: Set<String> = []
    /// Nothing of them is stored.
    private var guests: [String] = []
    /// Those to be asked for; the rest isn't looked at.
    private var outdated: Set<String> = []
    private var questions: [UInt64: Question] = [:]
    private var listChanges: ListChanges
    private var leftUsers: LeftUsers
    /// By the user's id: what was seen of those who came back, until it was compared with what they have now.
    private var pins: [String: LeftUsers.Pins] = [:]
    /// The account's identity as the bot holds it; what a server tells of it counts for nothing then.
    private var ownIdentity: UserIdentity?
    /// The bot keeps an identity of its account: another device of it gets keys only when that identity signed it, also as
    /// long as there is none.
    var keepsIdentity = false
    private var notices: [CryptoNotice] = []
    /// Counts every change to anybody's devices or identity, and every hint of one: equal counts mean that nothing has to be
    /// looked at again.
    private(set) var generation: UInt64 = 0

    init(
        _ context: CryptoContext,
        furtherPlaces: Int = CryptoLimits.devices - CryptoLimits.sureDevices * DeviceTracker.mostUsers
    ) throws(CryptoError) {
        self.context = context
        self.furtherPlaces = furtherPlaces
        listChanges = try ListChanges(context)
        leftUsers = try LeftUsers(context)
        for stored in try context.store.trackedUsers() {
            // Never told is marked as outdated without anything known.
            let isKnown = !stored.isOutdated || !stored.devices.isEmpty || stored.identity != nil
            users[stored.id] = TrackedUser(stored, isKnown: isKnown)
            if stored.isOutdated { outdated.insert(stored.id) }
            unseen.insert(stored.id)
            furtherDevices += Self.further(stored.devices.count)
            pins[stored.id] = try leftUsers.pins(of: stored.id)
        }
        follow([context.userID])
    }

    /// What a sync said of `device_lists`; only people who are followed are marked.
    func received(changed: [String], left: [String], nextBatch: String) throws(CryptoError) {
        for id in changed { mark(id) }
        for id in left where id != context.userID { forget(id) }
        leftUsers.flush()
        listChanges.received(nextBatch)
    }

    /// Syncs go on from here. With a gap since the last one seen, the server is asked what changed meanwhile.
    func resumes(from position: String?) { listChanges.resumes(from: position) }

    /// Begins to follow those who aren't yet and share a room; `makeCalls` asks for their devices.
    func follow(_ ids: [String]) {
        for id in ids {
            unseen.remove(id)
            if let known = users[id] {
                guard let index = guests.firstIndex(of: id) else { continue }
                guests.remove(at: index)
                store(known.stored)
            } else if Self.server(of: id) != nil, makePlace() {
                begin(id)
            }
        }
    }

    /// Of somebody who may be anybody.
    func followGuest(_ id: String) {
        guard users[id] == nil, Self.server(of: id) != nil else { return }
        if guests.count >= Self.mostGuests { dropGuest() }
        guests.append(id)
        begin(id)
    }

    /// Whether they are in a room of ours, or were when it was last told.
    func sharesRoom(_ id: String) -> Bool { users[id] != nil && !guests.contains(id) }

    private func begin(_ id: String) {
        // A store that can't be read fails the step soon enough.
        pins[id] = (try? leftUsers.pins(of: id)) ?? nil
        let stored = StoredUser(id: id, isOutdated: true, devices: [], identity: pins[id]?.identity)
        users[id] = TrackedUser(stored, isKnown: false)
        outdated.insert(id)
        store(stored)
    }

    private func makePlace() -> Bool {
        guard users.count >= Self.mostUsers else { return true }
        if !guests.isEmpty {
            dropGuest()
        } else if let id = unseen.popFirst() {
            forget(id)
        }
        return users.count < Self.mostUsers
    }

    private func dropGuest() {
        let id = guests.removeFirst()
        furtherDevices -= Self.further(users.removeValue(forKey: id)?.stored.devices.count ?? 0)
        outdated.remove(id)
    }

    private func store(_ user: StoredUser) {
        guard !guests.contains(user.id) else { return }
        context.changes.users.updateValue(user, forKey: user.id)
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

    /// The bot holds the account's identity now: its other devices are looked at again by it.
    func holds(_ identity: UserIdentity) {
        guard ownIdentity != identity else { return }
        ownIdentity = identity
        if users[context.userID]?.stored.identity != identity { mark(context.userID) }
    }

    /// Whether the bot's own account may have slipped this device in: one of the account's that its identity didn't sign.
    func isDoubtful(_ device: Device) -> Bool {
        keepsIdentity && device.user == context.userID && !device.isCrossSigned
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
                ask(Array(rest.prefix(Self.usersInCall)))
                rest = rest.dropFirst(Self.usersInCall)
            }
        }
    }

    private func ask(_ ids: [String]) {
        for id in ids { users[id]?.asked() }
        let counts = Dictionary(uniqueKeysWithValues: ids.map { ($0, users[$0]?.changes ?? 0) })
        questions[context.calls.add(.queryKeys(users: ids), for: self)] = Question(users: counts)
    }

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    {
        if case .keyChanges(_, let end) = call {
            for id in body["changed"]?.array ?? [] { id.string.map { mark($0) } }
            for id in body["left"]?.array ?? [] { if let id = id.string, id != context.userID { forget(id) } }
            leftUsers.flush()
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
            furtherDevices += Self.further(stored.devices.count) - Self.further(entry.stored.devices.count)
            unpin(stored, told: told)
            if !stored.isOutdated { outdated.remove(id) }
            if stored.devices != entry.stored.devices || stored.identity != entry.stored.identity { generation += 1 }
            entry.stored = stored
            users[id] = entry
            store(stored)
        }
        leftUsers.flush()
        return takeNotices()
    }

    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        // The position is too old for it.
        if case .keyChanges = call { return askForAll() }
        guard let question = questions.removeValue(forKey: id) else { return }
        let ids = question.users.keys.sorted()
        for id in ids { users[id]?.isAsked = false }
        guard ids.count > 1 else {
            for id in ids { users[id]?.failed(now: now) }
            return
        }
        // One of them may be what the server doesn't like; halves find out which.
        ask(Array(ids[..<(ids.count / 2)]))
        ask(Array(ids[(ids.count / 2)...]))
    }

    /// What changed isn't to be learned: everybody is asked for, which has a patience of its own.
    func delayed(_ id: UInt64, now: Int64) {
        guard case .keyChanges = context.calls.find(id)?.call else { return }
        context.calls.finish(id)
        askForAll()
    }

    private func askForAll() {
        for id in Array(users.keys) { mark(id) }
        listChanges.gaveUp()
    }

    var nextDeadline: Int64? {
        // Nobody is asked for while a gap is open.
        guard !outdated.isEmpty, !listChanges.isOpen else { return nil }
        let isBusy = questions.count >= Self.callsAtOnce
        return outdated.lazy.compactMap { id in
            guard let entry = self.users[id] else { return nil }
            if entry.failures > 0 { return entry.isAsked || isBusy ? nil : entry.notBefore }
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
            store(entry.stored)
        }
        users[id] = entry
    }

    /// A few of one answer: nobody fills the log with devices that are none.
    private func note(_ notice: CryptoNotice) {
        if notices.count < 20 { notices.append(notice) }
    }

    private func forget(_ id: String) {
        guard let gone = users.removeValue(forKey: id) else { return }
        furtherDevices -= Self.further(gone.stored.devices.count)
        outdated.remove(id)
        unseen.remove(id)
        guests.removeAll { $0 == id }
        leftUsers.keep(gone.stored, earlier: pins.removeValue(forKey: id))
        generation += 1
        context.changes.users.updateValue(nil, forKey: id)
    }

    /// What was kept from before they left is of no more use once it was compared; a device that was told with another key is
    /// held to it for good.
    private func unpin(_ user: StoredUser, told: JSONValue?) {
        guard let kept = pins[user.id] else { return }
        let isHeld = kept.devices.keys.contains { id in
            told?[id] != nil && !user.devices.contains { $0.id == id }
        }
        guard !isHeld else { return }
        pins[user.id] = nil
        leftUsers.forget(user.id)
    }

    private static func further(_ count: Int) -> Int { max(0, count - CryptoLimits.sureDevices) }

    private func places(for user: StoredUser) -> Int {
        let taken = furtherDevices - Self.further(user.devices.count)
        return min(CryptoLimits.devicesOfUser, CryptoLimits.sureDevices + max(0, furtherPlaces - taken))
    }

    private func updated(_ known: StoredUser, told: JSONValue?, _ body: JSONValue) -> StoredUser {
        let identity = identity(known, body)
        var devices: [Device] = []
        var members = told?.object?.members ?? []
        let places = places(for: known)
        if members.count > places {
            let ids = Set(known.devices.map(\.id))
            members = members.filter { ids.contains($0.key) } + members.filter { !ids.contains($0.key) }
        }
        var seen: Set<String> = []
        var keys: Set<String> = []
        // A check of signatures is slow, and a server may tell any number that fail it: those behind so many aren't looked at.
        for member in members.prefix(2 * CryptoLimits.devicesOfUser) where devices.count < places {
            let before = known.devices.first { $0.id == member.key }
            let pinned = before?.ed25519 ?? pins[known.id]?.devices[member.key]
            guard let device = CheckedDevice(member.value, of: known.id, driver: context.driver),
                device.id == member.key, seen.insert(device.id).inserted,
                // Two of one person can't hold one key.
                keys.insert(device.curve25519).inserted, keys.insert(device.ed25519).inserted
            else {
                note(.unusableDevice(user: known.id, device: member.key))
                continue
            }
            if let pinned, pinned != device.ed25519 {
                note(.deviceKeyChanged(user: known.id, device: device.id))
                if let before { devices.append(before) }
                continue
            }
            let isCrossSigned = device.isSigned(by: identity, of: known.id, driver: context.driver)
            devices.append(device.device(of: known.id, isCrossSigned: isCrossSigned))
        }
        return StoredUser(id: known.id, isOutdated: known.isOutdated, devices: devices, identity: identity)
    }

    /// Who was seen with cross-signing is held to it: a server that leaves the keys out gains nothing.
    private func identity(_ known: StoredUser, _ body: JSONValue) -> UserIdentity? {
        let own = known.id == context.userID ? ownIdentity : nil
        let before = own ?? known.identity
        guard let told = CheckedIdentity(body, of: known.id, driver: context.driver) else { return before }
        if let before, before.masterKey != told.masterKey { note(.identityChanged(user: known.id)) }
        if let own { return own }
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
