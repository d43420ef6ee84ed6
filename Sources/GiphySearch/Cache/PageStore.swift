public import Base

/// Keeps pages over a restart, for sources whose rules allow it. It works off the loop, and whatever goes wrong in it is only a
/// page that isn't there.
@Loop public protocol PageStore: AnyObject {
    func page(for key: SearchCacheKey) async -> StoredPage?

    /// Doesn't wait. After `end` the page may go.
    func keep(_ page: StoredPage, for key: SearchCacheKey, until end: WallTime)

    /// At most that many from now on; the oldest go.
    func limit(entries: Int)
}

/// A page, and when the source answered it.
public struct StoredPage: Sendable {
    public let page: SearchPage
    public let at: WallTime

    public init(page: SearchPage, at: WallTime) {
        self.page = page
        self.at = at
    }
}

/// A key as text. Two spellings that Swift takes for equal may differ in their bytes, so rows are looked up by what they have in
/// common, and told apart by `words`.
public struct StoredPageKey: Equatable, Sendable {
    public let common: String
    public let words: String

    /// A key whose digest is not among those of a store is not in it.
    public var digest: UInt64 { Self.digest(ofCommon: common) }

    public static func digest(ofCommon text: String) -> UInt64 { shortDigest(text) }

    public init(_ key: SearchCacheKey) {
        let query = key.query
        let mode =
            switch query.mode {
            case .search: "search"
            case .random: "random"
            case .trending: "trending"
            case .translate: "translate"
            case .id: "id"
            }
        // Letters one by one are slow, and most words need none of it.
        let isASCII = query.words.utf8.allSatisfy { $0 < 0x80 }
        let folded = isASCII ? query.words : String(query.words.map { $0.isASCII ? $0 : "?" })
        // For each new query, so not through an array.
        var common = ""
        common.reserveCapacity(80 + folded.utf8.count)
        func add(_ part: String) {
            common += part
            common += "\u{1F}"
        }
        add(key.source)
        add(mode)
        add(query.kind.rawValue)
        add(query.rating.rawValue)
        add(query.language)
        add(key.fixedRating?.rawValue ?? "")
        add(key.position ?? "")
        common += folded
        self.common = common
        words = query.words
    }
}
