/// Where an answer goes, in the one text that a chat message has room for.
struct RoomAddress: Equatable {
    let room: String
    /// The root of the thread.
    let thread: String?

    init(room: String, thread: String?) {
        self.room = room
        self.thread = thread
    }

    init?(_ text: String) {
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard let room = parts.first, !room.isEmpty else { return nil }
        self.room = String(room)
        thread = parts.count > 1 ? String(parts[1]) : nil
    }

    var text: String {
        thread.map { room + "\n" + $0 } ?? room
    }
}
