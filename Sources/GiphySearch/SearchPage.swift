/// What a source answered to one query: held in the cache, shared by all who ask the same.
public final class SearchPage: Sendable {
    public let gifs: [Gif]
    /// `source:id` of each, made once for the many times it is looked up.
    let qualifiedIDs: [String]
    /// Where the source goes on; nil at the end of what it has, or where it knows no further pages.
    public let continuation: PageContinuation?

    public init(gifs: [Gif], continuation: PageContinuation? = nil) {
        self.gifs = PackedGif.together(gifs.map(\.packed)).map(Gif.init)
        self.continuation = continuation
        qualifiedIDs = gifs.map(\.qualifiedID)
    }

    /// What it takes in memory, roughly: its bytes, and a sum for each object and each name.
    var estimatedBytes: Int {
        let further = continuation.map { $0.source.utf8.count + $0.position.utf8.count } ?? 0
        return gifs.reduce(400 + further) { $0 + 100 + $1.packed.count }
    }
}

/// The page after one, as its source names it.
public struct PageContinuation: Hashable, Sendable {
    /// The source's name in the config.
    public let source: String
    /// An offset or a cursor; only the source reads it.
    public let position: String

    public init(source: String, position: String) {
        self.source = source
        self.position = position
    }
}

/// What a channel lets through, beside what the query already says.
public struct Suitability: Sendable, Equatable {
    public var rating: Rating
    /// Lets GIFs without a rating through.
    public var allowsUnrated: Bool
    /// A search for GIFs may find stickers too: GIPHY takes the word "sticker" in a query for a wish.
    public var allowsStickers: Bool
    /// Bytes and pixels; a GIF without any rendition inside them is posted as its smallest.
    public var maximumBytes: Int
    public var maximumWidth: Int
    /// Lower case. A GIF whose title holds one as a word is not posted.
    public var deniedWords: [String]
    /// `id` or `source:id`.
    public var deniedIDs: Set<String>

    public init(
        rating: Rating, allowsUnrated: Bool, allowsStickers: Bool = true, maximumBytes: Int, maximumWidth: Int,
        deniedWords: [String],
        deniedIDs: Set<String>
    ) {
        self.rating = rating
        self.allowsUnrated = allowsUnrated
        self.allowsStickers = allowsStickers
        self.maximumBytes = maximumBytes
        self.maximumWidth = maximumWidth
        self.deniedWords = deniedWords
        self.deniedIDs = deniedIDs
    }
}
