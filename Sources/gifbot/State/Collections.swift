import Base
import Bot
import Chat

/// The saved GIFs of each conversation: 200 in one, 20,000 in all. At the bound no more are taken: nobody's are thrown out.
struct Collections: Sendable {
    static let perConversation = 200
    static let capacity = 20_000

    private var entries: [Conversation: [SavedGif]] = [:]
    private var count = 0

    func gif(_ name: String, in conversation: Conversation) -> SavedGif? {
        entries[conversation]?.first { $0.name == name }
    }

    /// The oldest first.
    func names(in conversation: Conversation) -> [String] {
        entries[conversation]?.map(\.name) ?? []
    }

    /// False at the bound.
    mutating func add(_ gif: SavedGif, in conversation: Conversation) -> Bool {
        guard count < Self.capacity, entries[conversation]?.count ?? 0 < Self.perConversation else { return false }
        _ = remove(gif.name, in: conversation)
        entries[conversation, default: []].append(gif)
        count += 1
        return true
    }

    /// False when there is none of that name.
    mutating func remove(_ name: String, in conversation: Conversation) -> Bool {
        guard let place = entries[conversation]?.firstIndex(where: { $0.name == name }) else { return false }
        entries[conversation]?.remove(at: place)
        if entries[conversation]?.isEmpty ?? false { entries[conversation] = nil }
        count -= 1
        return true
    }
}
