/// A GIF chosen for a channel, and the file of it to post.
public struct PickedGif: Hashable, Sendable {
    public let gif: Gif
    public let rendition: Rendition

    public init(gif: Gif, rendition: Rendition) {
        self.gif = gif
        self.rendition = rendition
    }
}

/// Chooses from a page what a channel gets to see. Pure: the same input gives the same choice.
public enum GifPicker {
    /// The first suitable GIF that wasn't shown lately; when all were, the one shown longest ago. `lastShown` tells when a
    /// `source:id` was shown, as a number that grows; nil when it wasn't. With `number`, counted from 1, the one at that place
    /// among the suitable ones, shown or not.
    ///
    /// Throws `nothingFound` for an empty page and for a number past the end, `nothingSuitable` when nothing passes.
    public static func pick(
        from page: SearchPage, for suitability: Suitability, number: Int? = nil, lastShown: (String) -> UInt64?
    ) throws(SearchFailure) -> PickedGif {
        guard !page.gifs.isEmpty else { throw .nothingFound }
        let filter = SuitabilityFilter(suitability)
        if let number {
            let suitable = page.gifs.lazy.filter(filter.allows).dropFirst(max(0, number - 1))
            guard let gif = suitable.first else {
                throw page.gifs.contains(where: filter.allows) ? .nothingFound : .nothingSuitable
            }
            return try picked(gif, for: suitability)
        }
        var choice: (index: Int, shown: UInt64)?
        for index in page.gifs.indices where filter.allows(page.gifs[index]) {
            guard let shown = lastShown(page.qualifiedIDs[index]) else {
                choice = (index, 0)
                break
            }
            if choice.map({ shown < $0.shown }) ?? true { choice = (index, shown) }
        }
        guard let choice else { throw .nothingSuitable }
        return try picked(page.gifs[choice.index], for: suitability)
    }

    /// The largest that fits, by area; an unknown size counts as fitting. When none fits, the smallest. Nil when it has no file.
    static func rendition(of gif: Gif, for suitability: Suitability) -> Rendition? {
        gif.packed.withFiles { files in
            var largest: PackedFile?
            var smallest: PackedFile?
            while let file = files.next() {
                if file.fits(suitability), file.area > largest?.area ?? -1 { largest = file }
                if smallest.map(file.isSmaller) ?? true { smallest = file }
            }
            return (largest ?? smallest).map(files.rendition)
        }
    }

    private static func picked(_ gif: Gif, for suitability: Suitability) throws(SearchFailure) -> PickedGif {
        guard let rendition = rendition(of: gif, for: suitability) else { throw .nothingSuitable }
        return PickedGif(gif: gif, rendition: rendition)
    }
}

extension PackedFile {
    /// Square pixels; 0 when unknown.
    fileprivate var area: Int { width * height }

    fileprivate func fits(_ suitability: Suitability) -> Bool {
        byteCount <= suitability.maximumBytes && width <= suitability.maximumWidth
    }

    /// By bytes where both are known, else by area; an unknown area is the largest.
    fileprivate func isSmaller(than other: PackedFile) -> Bool {
        if byteCount != 0, other.byteCount != 0, byteCount != other.byteCount { return byteCount < other.byteCount }
        return (area == 0 ? .max : area) < (other.area == 0 ? .max : other.area)
    }
}

/// The tests a GIF has to pass, with the denied words made ready once.
public struct SuitabilityFilter: Sendable {
    private let suitability: Suitability
    private let deniedWords: DeniedWords

    public init(_ suitability: Suitability) {
        self.suitability = suitability
        deniedWords = DeniedWords(suitability.deniedWords)
    }

    /// The GIF with the file of it to post; nil when it doesn't suit.
    public func pick(_ gif: Gif) -> PickedGif? {
        guard allows(gif), let rendition = GifPicker.rendition(of: gif, for: suitability) else { return nil }
        return PickedGif(gif: gif, rendition: rendition)
    }

    /// Whether one of the denied words is among these.
    public func denies(words: String) -> Bool {
        !deniedWords.isEmpty && deniedWords.isAnyIn(words)
    }

    func allows(_ gif: Gif) -> Bool {
        guard gif.packed.hasFiles, allows(gif.rating), suitability.allowsStickers || gif.kind != .sticker else {
            return false
        }
        let ids = suitability.deniedIDs
        guard ids.isEmpty || !ids.contains(gif.id) && !ids.contains(gif.qualifiedID) else { return false }
        // Reading the title costs more than all the rest.
        return deniedWords.isEmpty || !denies(words: gif.title)
    }

    /// No rating counts as above `g`, so it passes only where unrated ones are allowed.
    private func allows(_ rating: Rating?) -> Bool {
        guard let rating else { return suitability.allowsUnrated }
        return rating <= suitability.rating
    }
}
