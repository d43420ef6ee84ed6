/// One file of a GIF: the dimensions are those of what is at the URL.
public struct Rendition: Hashable, Sendable {
    /// Byte for byte as the source gave it.
    public let url: String
    /// Pixels; nil when unknown, never 0.
    public let width: Int?
    public let height: Int?
    /// Bytes; nil when unknown, never 0.
    public let byteCount: Int?
    /// Such as `image/gif`; nil when unknown.
    public let mediaType: String?
    /// Where the file lies on this machine, for a source that is a folder here; `url` is what others open.
    public let localPath: String?

    public init(
        url: String, width: Int?, height: Int?, byteCount: Int?, mediaType: String? = nil, localPath: String? = nil
    ) {
        self.url = url
        self.width = width
        self.height = height
        self.byteCount = byteCount
        self.mediaType = mediaType
        self.localPath = localPath
    }
}

/// Texts are made fit for one line of chat when a value is made, whatever its source sent.
///
/// A value is a place in bytes that it shares with the other GIFs of its page: cheap to hand on and to hold, and each property is
/// read anew.
public struct Gif: Hashable, Sendable {
    let packed: PackedGif

    public init(
        id: String, source: String, kind: GifKind = .gif, title: String, rating: Rating?, pageURL: String?,
        author: String?, credit: String, altText: String? = nil, renditions: [Rendition]
    ) {
        packed = PackedGif(
            id: id, source: source, kind: kind, title: title, rating: rating, pageURL: pageURL, author: author,
            credit: credit, altText: altText, files: renditions)
    }

    init(_ packed: PackedGif) { self.packed = packed }

    /// The source's own id.
    public var id: String { packed.id }
    /// The source's name in the config.
    public var source: String { packed.source }
    /// As far as the source tells: what was found among stickers, or is called one.
    public var kind: GifKind { packed.kind }
    public var title: String { packed.text(.title) ?? "" }
    /// Nil when the source gave none.
    public var rating: Rating? { packed.rating }
    /// The source's page about it: posted where the file's URL fits no line.
    public var pageURL: String? { packed.text(.pageURL) }
    /// Who made it, where the source says so.
    public var author: String? { packed.text(.author) }
    /// What the source wants named, as it goes into the answer.
    public var credit: String { packed.text(.credit) ?? "" }
    /// What is to be seen, in words, where the source says so.
    public var altText: String? { packed.text(.altText) }

    /// Moving ones only; the order is the source's.
    public var renditions: [Rendition] {
        packed.withFiles { files in
            var all: [Rendition] = []
            while let file = files.next() { all.append(files.rendition(file)) }
            return all
        }
    }

    /// `source:id`, as it is stored, denied and compared.
    public var qualifiedID: String { packed.text(.qualifiedID) ?? "" }

    /// The same, without holding its page in memory.
    public var alone: Gif { Gif(packed.alone) }
}
