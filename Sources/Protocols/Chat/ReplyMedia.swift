/// The file behind an answer, for a protocol that can show it. Present only where the channel wants an image and the source's
/// rules allow a copy.
public struct ReplyMedia: Equatable, Sendable {
    /// One file of the same GIF.
    public struct File: Equatable, Sendable {
        /// Where the bytes come from: `https:` or, for a file on this machine, `file:`.
        public let url: String
        /// As the source says; the bytes decide. Nil when unknown.
        public let mediaType: String?
        /// Pixels; nil when unknown.
        public let width: Int?
        public let height: Int?
        /// Bytes; nil when unknown, and often wrong.
        public let byteCount: Int?
        /// For a file on this machine: the folder that it has to lie in, whatever links stand there. `url` begins with it.
        public let folder: String?

        public init(
            url: String, mediaType: String?, width: Int?, height: Int?, byteCount: Int?, folder: String? = nil
        ) {
            self.folder = folder
            self.url = url
            self.mediaType = mediaType
            self.width = width
            self.height = height
            self.byteCount = byteCount
        }
    }

    /// `source:id`: the same GIF is uploaded once.
    public let id: String
    /// The chosen one first, then the smaller ones, largest first; never empty.
    public let files: [File]
    public let title: String
    public let altText: String?
    /// Bytes; a larger file is not downloaded to its end.
    public let maximumBytes: Int

    public init(id: String, files: [File], title: String, altText: String?, maximumBytes: Int) {
        self.id = id
        self.files = files
        self.title = title
        self.altText = altText
        self.maximumBytes = maximumBytes
    }
}
