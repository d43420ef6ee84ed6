/// The chat of two where each person was met last. One from before a restart, or one that a third person may have seen, is
/// doubtful: nothing private is said there before its members were looked at.
///
/// At the bound the one used longest ago goes: its person has to say a word there again.
struct DirectChats {
    private struct Chat {
        let room: String
        var isSure: Bool
        var use: UInt64
    }

    let capacity: Int
    private var chats: [String: Chat] = [:]
    /// Those whose chat a room is. A batch may tell of as many rooms as there are chats.
    private var users: [String: Set<String>] = [:]
    private var uses: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Nil too while it is doubtful.
    func room(with user: String) -> String? {
        chats[user].flatMap { $0.isSure ? $0.room : nil }
    }

    func doubtfulRoom(with user: String) -> String? {
        chats[user].flatMap { $0.isSure ? nil : $0.room }
    }

    /// Who had to go for it, if anybody.
    mutating func set(_ room: String, with user: String, isSure: Bool) -> String? {
        let other = chats[user] == nil && chats.count >= capacity ? chats.min { $0.value.use < $1.value.use }?.key : nil
        if let other { remove(other) }
        remove(user)
        uses += 1
        chats[user] = Chat(room: room, isSure: isSure, use: uses)
        users[room, default: []].insert(user)
        return other
    }

    mutating func doubt(_ room: String) {
        for user in users[room] ?? [] { chats[user]?.isSure = false }
    }

    mutating func doubtAll() {
        for user in Array(chats.keys) { chats[user]?.isSure = false }
    }

    /// False when it was another room, or none.
    mutating func forget(_ room: String, with user: String) -> Bool {
        guard chats[user]?.room == room else { return false }
        remove(user)
        return true
    }

    func people(of room: String) -> [String] { Array(users[room] ?? []) }

    private mutating func remove(_ user: String) {
        guard let room = chats.removeValue(forKey: user)?.room else { return }
        users[room]?.remove(user)
        if users[room]?.isEmpty ?? false { users[room] = nil }
    }
}
