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
public struct Gif: Hashable, Sendable {
    /// The source's own id.
    public let id: String
    /// The source's name in the config.
    public let source: String
    public let title: String
    /// Nil when the source gave none.
    public let rating: Rating?
    /// The source's page about it: posted where the file's URL fits no line.
    public let pageURL: String?
    /// Who made it, where the source says so.
    public let author: String?
    /// What the source wants named, as it goes into the answer.
    public let credit: String
    /// What is to be seen, in words, where the source says so.
    public let altText: String?
    /// Moving ones only; the order is the source's.
    public let renditions: [Rendition]

    public init(
        id: String, source: String, title: String, rating: Rating?, pageURL: String?, author: String?, credit: String,
        altText: String? = nil, renditions: [Rendition]
    ) {
        self.id = id
        self.source = source
        self.title = cleanLine(title, maximumScalars: 200)
        self.rating = rating
        self.pageURL = pageURL
        self.author = author.map { cleanLine($0, maximumScalars: 100) }.flatMap { $0.isEmpty ? nil : $0 }
        self.credit = cleanLine(credit, maximumScalars: 200)
        self.altText = altText.map { cleanLine($0, maximumScalars: 400) }.flatMap { $0.isEmpty ? nil : $0 }
        self.renditions = renditions
    }

    /// `source:id`, as it is stored, denied and compared.
    public var qualifiedID: String { source + ":" + id }
}
