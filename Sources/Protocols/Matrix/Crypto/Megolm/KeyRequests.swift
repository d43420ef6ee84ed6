import JSON

/// Asks for keys that didn't come: after a while, for most come late by themselves, and once an hour for a session at most.
final class KeyRequests: CryptoPart {
    /// Milliseconds until a missing key is asked for.
    static let patience: Int64 = 20_000
    static let pause: Int64 = 3_600_000
    /// Sessions remembered; at the bound those missed longest ago go.
    static let limit = 200
    static let name = "megolm.requests"
    /// Requests in one minute; more wait, so that made up messages don't flood the server with ours.
    static let mostAMinute = 20

    private struct Entry: Equatable {
        var request: String
        /// When it was missed, and wasn't asked for yet.
        var missed: Int64?
        var asked: Int64?
    }

    private let context: CryptoContext
    private let toDevice: ToDeviceOutbox
    private var entries: [GroupSessionName: Entry] = [:]
    /// When the last requests were made.
    private var recent: [Int64] = []

    init(_ context: CryptoContext, _ toDevice: ToDeviceOutbox) throws(CryptoError) {
        self.context = context
        self.toDevice = toDevice
        guard let bytes = try context.value(of: Self.name), let stored = try? JSONValue(parsing: bytes) else { return }
        for value in stored.array?.prefix(Self.limit) ?? [] {
            guard let room = value["room"]?.string, let session = value["session"]?.string,
                let sender = value["sender"]?.string, let request = value["request"]?.string
            else { continue }
            entries[GroupSessionName(room: room, session: session, sender: sender)] = Entry(
                request: request, missed: nil, asked: value["asked"]?.integer)
        }
    }

    /// A message can't be read for want of this key.
    func missed(_ name: GroupSessionName, now: Int64) {
        guard name.sender != context.userID else { return }
        if var entry = entries[name] {
            guard entry.missed == nil else { return }
            if let asked = entry.asked, now < asked + Self.pause, now >= asked { return }
            entry.missed = now
            entries[name] = entry
            return
        }
        if entries.count >= Self.limit { forgetOldest() }
        entries[name] = Entry(request: context.randomName(), missed: now, asked: nil)
    }

    private func forgetOldest() {
        let oldest = entries.min { ($0.value.missed ?? $0.value.asked ?? 0) < ($1.value.missed ?? $1.value.asked ?? 0) }
        if let oldest { entries[oldest.key] = nil }
    }

    /// The sender won't give it: no use to ask.
    func withheld(_ name: GroupSessionName) {
        entries[name]?.missed = nil
    }

    /// The key is missing for somebody else's message: this sender has no say in it.
    func isOthers(_ name: GroupSessionName) -> Bool {
        entries[name] == nil && entries.keys.contains { $0.session == name.session && $0.room == name.room }
    }

    func isOpen(_ name: GroupSessionName) -> Bool { entries[name]?.asked != nil }

    func came(_ name: GroupSessionName) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        guard entry.asked != nil else { return }
        store()
        toDevice.send(
            "m.room_key_request",
            [
                "action": "request_cancellation", "request_id": .string(entry.request),
                "requesting_device_id": .string(context.deviceID),
            ], to: [DeviceName(user: name.sender, device: "*")])
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        var hasAsked = false
        recent.removeAll { now >= $0 + 60_000 || now < $0 }
        guard entries.values.contains(where: { $0.missed != nil }) else { return }
        for (name, entry) in entries where recent.count < Self.mostAMinute {
            guard let missed = entry.missed, now >= missed + Self.patience else { continue }
            recent.append(now)
            entries[name]?.missed = nil
            entries[name]?.asked = now
            hasAsked = true
            toDevice.send(
                "m.room_key_request",
                [
                    "action": "request", "request_id": .string(entry.request),
                    "requesting_device_id": .string(context.deviceID),
                    "body": [
                        "algorithm": "m.megolm.v1.aes-sha2", "room_id": .string(name.room),
                        "session_id": .string(name.session),
                    ],
                ], to: [DeviceName(user: name.sender, device: "*")])
        }
        if hasAsked { store() }
    }

    private func store() {
        let asked: [JSONValue] = entries.compactMap { name, entry in
            guard let asked = entry.asked else { return nil }
            return [
                "room": .string(name.room), "session": .string(name.session), "sender": .string(name.sender),
                "request": .string(entry.request), "asked": .integer(asked),
            ]
        }
        context.changes.values[Self.name] = .some((try? JSONWriter.canonical(.array(asked))) ?? [])
    }

    var nextDeadline: Int64? {
        guard let missed = entries.values.compactMap(\.missed).min() else { return nil }
        guard recent.count >= Self.mostAMinute, let first = recent.first else { return missed + Self.patience }
        return max(missed + Self.patience, first + 60_000)
    }
}
