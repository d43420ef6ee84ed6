/// The chat of two where each person was met last. One from before a restart, or one that a third person may have seen, is
/// doubtful: nothing private is said there before its members were looked at.
///
/// At the bound any other one goes: its person has to say a word there again.
struct DirectChats {
    private struct Chat {
        let room: String
        var isSure: Bool
    }

    let capacity: Int
    private var chats: [String: Chat] = [:]

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
        defer { chats[user] = Chat(room: room, isSure: isSure) }
        guard chats[user] == nil, chats.count >= capacity, let other = chats.keys.first else { return nil }
        chats[other] = nil
        return other
    }

    mutating func doubt(_ room: String) {
        for (user, chat) in chats where chat.room == room { chats[user]?.isSure = false }
    }

    mutating func doubtAll() {
        for user in chats.keys { chats[user]?.isSure = false }
    }

    /// False when it was another room, or none.
    mutating func forget(_ room: String, with user: String) -> Bool {
        guard chats[user]?.room == room else { return false }
        chats[user] = nil
        return true
    }

    func people(of room: String) -> [String] {
        chats.filter { $0.value.room == room }.map(\.key)
    }
}
