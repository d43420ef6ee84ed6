/// Ceilings as GIPHY names them, in their order. A GIF without a rating counts as above `g`.
public enum Rating: String, CaseIterable, Comparable, Sendable {
    case g
    case pg
    case pg13 = "pg-13"
    case r

    public static func < (a: Rating, b: Rating) -> Bool {
        a.order < b.order
    }

    private var order: Int {
        switch self {
        case .g: 0
        case .pg: 1
        case .pg13: 2
        case .r: 3
        }
    }
}

public enum GifKind: String, Hashable, Sendable {
    case gif, sticker
}

/// What is asked of a source, and the key under which its answer is held.
public struct SearchQuery: Hashable, Sendable {
    public enum Mode: Hashable, Sendable {
        /// What fits the words best.
        case search
        /// Something by chance, that fits the words if there are any. Never held in a cache.
        case random
        /// What many look at now; without words.
        case trending
        /// What the source itself makes of the words, where a search has found nothing: one GIF.
        case translate
        /// The one GIF whose id the words are, spelled exactly; only its own source is asked.
        case id
    }

    /// Lower case, single spaces, nothing at the ends; empty only where the mode needs none.
    public let words: String
    public let rating: Rating
    /// Two letters, or a tag as GIPHY's list has them (`zh-CN`).
    public let language: String
    public let kind: GifKind
    public let mode: Mode

    public init(words: String, rating: Rating, language: String, kind: GifKind, mode: Mode = .search) {
        self.words = words
        self.rating = rating
        self.language = language
        self.kind = kind
        self.mode = mode
    }
}
