import JSON

/// Keys for rooms that nobody knows to be encrypted yet, and of people who aren't known to share a room. They may come before
/// their room does (an invited bot is given keys already) or before their sender's first message, or be anybody's rubbish:
/// everybody may send keys for any room. So these are few, and the oldest go.
final class EarlyKeys {
    static let limit = 500
    static let name = "megolm.early"

    private let context: CryptoContext
    private let sessions: InboundSessions
    private let tracker: DeviceTracker
    private var names: [GroupSessionName] = []

    init(_ context: CryptoContext, _ sessions: InboundSessions, _ tracker: DeviceTracker) throws(CryptoError) {
        self.context = context
        self.sessions = sessions
        self.tracker = tracker
        guard let bytes = try context.value(of: Self.name), let stored = try? JSONValue(parsing: bytes) else { return }
        for value in stored.array?.suffix(Self.limit) ?? [] {
            guard let room = value[0]?.string, let session = value[1]?.string, let sender = value[2]?.string else {
                continue
            }
            names.append(GroupSessionName(room: room, session: session, sender: sender))
        }
    }

    func came(_ name: GroupSessionName) {
        guard context.encryptedRooms[name.room] == nil || !tracker.sharesRoom(name.sender), !names.contains(name) else {
            return
        }
        names.append(name)
        while names.count > Self.limit { sessions.remove(names.removeFirst()) }
        store()
    }

    /// Its people's keys are kept like all others from now on.
    func isEncrypted(_ room: String) {
        forget { $0.room == room && tracker.sharesRoom($0.sender) }
    }

    /// A message of the room was read with it.
    func isUsed(_ name: GroupSessionName) {
        forget { $0 == name }
    }

    private func forget(_ isIt: (GroupSessionName) -> Bool) {
        guard names.contains(where: isIt) else { return }
        names.removeAll(where: isIt)
        store()
    }

    private func store() {
        let all: [JSONValue] = names.map { [.string($0.room), .string($0.session), .string($0.sender)] }
        context.changes.values[Self.name] = .some((try? JSONWriter.canonical(.array(all))) ?? [])
    }
}
