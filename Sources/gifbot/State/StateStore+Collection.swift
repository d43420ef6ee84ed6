public import Bot
public import Chat

extension StateStore: CollectionStore {
    public func savedGif(_ name: String, in conversation: Conversation) -> SavedGif? {
        memory.collections.gif(name, in: conversation)
    }

    public func savedNames(in conversation: Conversation) -> [String] {
        memory.collections.names(in: conversation)
    }

    public func save(_ gif: SavedGif, in conversation: Conversation) -> Bool {
        guard memory.collections.add(gif, in: conversation) else { return false }
        append(.saved(gif, conversation))
        return true
    }

    public func forget(saved name: String, in conversation: Conversation) -> Bool {
        guard memory.collections.remove(name, in: conversation) else { return false }
        append(.unsaved(name, conversation))
        return true
    }
}
