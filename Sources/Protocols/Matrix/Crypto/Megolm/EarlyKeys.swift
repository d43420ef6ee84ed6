import JSON

/// Keys for rooms that nobody knows to be encrypted yet. They may come before their room does (an invited bot is given keys
/// already), or be anybody's rubbish: everybody may send keys for rooms that they made up. So these are few, and the
/// oldest go.
final class EarlyKeys {
    static let limit = 500
    static let name = "megolm.early"

    private let context: CryptoContext
    private let sessions: InboundSessions
    private var names: [GroupSessionName] = []

    init(_ context: CryptoContext, _ sessions: InboundSessions) throws(CryptoError) {
        self.context = context
        self.sessions = sessions
        guard let bytes = try context.value(of: Self.name), let stored = try? JSONValue(parsing: bytes) else { return }
        for value in stored.array?.suffix(Self.limit) ?? [] {
            guard let room = value[0]?.string, let session = value[1]?.string, let sender = value[2]?.string else {
                continue
            }
            names.append(GroupSessionName(room: room, session: session, sender: sender))
        }
    }

    func came(_ name: GroupSessionName) {
        guard context.encryptedRooms[name.room] == nil, !names.contains(name) else { return }
        names.append(name)
        while names.count > Self.limit { sessions.remove(names.removeFirst()) }
        store()
    }

    /// Its keys are kept like all others from now on.
    func isEncrypted(_ room: String) {
        guard names.contains(where: { $0.room == room }) else { return }
        names.removeAll { $0.room == room }
        store()
    }

    private func store() {
        let all: [JSONValue] = names.map { [.string($0.room), .string($0.session), .string($0.sender)] }
        context.changes.values[Self.name] = .some((try? JSONWriter.canonical(.array(all))) ?? [])
    }
}
