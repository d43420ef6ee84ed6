import Base
import Chat

/// What was shown where: the latest 200 ids of a conversation, of the 1,000 conversations used last.
struct ShownIDs: Sendable {
    static let perConversation = 200
    static let conversations = 1000

    fileprivate struct Entry {
        /// The longest ago first; both arrays go together.
        var ids: [String] = []
        var times: [WallTime] = []
        /// The use in which each id was shown.
        var uses: [String: UInt64] = [:]
        var lastUse: UInt64 = 0
    }

    enum Forgotten: Equatable, Sendable {
        case id(String, in: Conversation)
        case all(of: Conversation)
    }

    private var entries: [Conversation: Entry] = [:]
    private var uses: UInt64 = 0

    func uses(in conversation: Conversation) -> [String: UInt64] {
        entries[conversation]?.uses ?? [:]
    }

    func ids(in conversation: Conversation) -> [String] {
        entries[conversation]?.ids ?? []
    }

    /// Puts an id last, wherever it was before; says what had to go for it.
    mutating func record(_ id: String, in conversation: Conversation, at time: WallTime) -> Forgotten? {
        var forgotten: Forgotten?
        if entries[conversation] == nil, entries.count >= Self.conversations {
            // A search through all, but only for a new conversation at the bound.
            if let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
                entries[oldest] = nil
                forgotten = .all(of: oldest)
            }
        }
        uses += 1
        let gone = entries[conversation, default: Entry()].record(id, at: time, use: uses)
        return gone.map { .id($0, in: conversation) } ?? forgotten
    }

    mutating func forget(before time: WallTime) {
        for conversation in Array(entries.keys) {
            entries[conversation]?.forget(before: time)
            if entries[conversation]?.ids.isEmpty == true { entries[conversation] = nil }
        }
    }
}

extension ShownIDs.Entry {
    fileprivate mutating func record(_ id: String, at time: WallTime, use: UInt64) -> String? {
        lastUse = use
        var gone: String?
        if uses[id] != nil, let place = ids.lastIndex(of: id) {
            remove(place)
        } else if ids.count >= ShownIDs.perConversation {
            gone = ids[0]
            remove(0)
        }
        ids.append(id)
        times.append(time)
        uses[id] = use
        return gone
    }

    fileprivate mutating func forget(before time: WallTime) {
        for place in ids.indices.reversed() where times[place] < time { remove(place) }
    }

    private mutating func remove(_ place: Int) {
        uses[ids.remove(at: place)] = nil
        times.remove(at: place)
    }
}
