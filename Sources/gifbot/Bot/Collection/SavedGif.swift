public import Base
public import Chat
public import GiphySearch

/// A GIF of a conversation's own collection.
public struct SavedGif: Equatable, Sendable {
    /// Small letters, digits, `-` and `_`.
    public let name: String
    /// The source's name in the config, and its own id of the GIF.
    public let source: String
    public let id: String
    /// Nil where the source's rules allow no URL to be stored: then it is asked for again by its id.
    public let gif: Gif?
    /// `Sender.key` of who saved it.
    public let by: String
    public let at: WallTime

    public init(name: String, source: String, id: String, gif: Gif?, by: String, at: WallTime) {
        self.name = name
        self.source = source
        self.id = id
        self.gif = gif
        self.by = by
        self.at = at
    }
}

/// The collection of each conversation. Reads come from memory, writes never wait.
@Loop public protocol CollectionStore: AnyObject {
    func savedGif(_ name: String, in conversation: Conversation) -> SavedGif?
    /// The oldest first.
    func savedNames(in conversation: Conversation) -> [String]
    /// False when there are too many. The name must be free.
    func save(_ gif: SavedGif, in conversation: Conversation) -> Bool
    /// False when there is none.
    func forget(saved name: String, in conversation: Conversation) -> Bool
}
