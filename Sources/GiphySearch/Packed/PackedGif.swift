/// A GIF as bytes, beside others of its page: a page of 25 is one piece of memory of some 10 KB, where texts of their own would
/// take five times that. The same bytes go to the disk.
///
/// How many follow (4 bytes), rating and kind (1), number of files, length of the source's name, then texts: `source:id`, title,
/// credit, page, author, what is to be seen; then the files.
struct PackedGif: Hashable, Sendable {
    enum Text: Int {
        case qualifiedID, title, credit, pageURL, author, altText
    }

    private static let lengthBytes = 4
    private static let texts = 6
    private static let stickerBit: UInt8 = 0x80
    /// More than any source's GIFs have.
    private static let mostFiles = 64

    private let bytes: [UInt8]
    private let start: Int

    init(
        id: String, source: String, kind: GifKind, title: String, rating: Rating?, pageURL: String?, author: String?,
        credit: String, altText: String?, files: [Rendition]
    ) {
        let texts = PackedTexts(
            source: source, title: title, credit: credit, pageURL: pageURL, author: author, altText: altText)
        let most = files.reduce(texts.most + id.utf8.count) { $0 + PackedFile.most($1) }
        bytes = ByteWriter.bytes(atMost: most) { writer in
            _ = id.withBytes { id in
                Self.write(id: id, texts, kind: kind, rating: rating, fileCount: files.count, to: &writer) { writer in
                    for place in files.indices {
                        PackedFile.write(files[place], first: place == 0 ? nil : files[0].url, to: &writer)
                    }
                }
            }
        }
        start = 0
    }

    /// Gives where the id lies, counted from where the GIF begins, which is where `writer` begins.
    static func write<Text: PackedText>(
        id: UnsafeBufferPointer<UInt8>, _ texts: PackedTexts<Text>, kind: GifKind, rating: Rating?, fileCount: Int,
        to writer: inout ByteWriter, files: (inout ByteWriter) -> Void
    ) -> Range<Int> {
        let source = texts.source.utf8.count
        for _ in 0..<lengthBytes { writer.byte(0) }
        writer.byte((rating.map(number) ?? 0) | (kind == .sticker ? stickerBit : 0))
        writer.number(fileCount)
        writer.number(source)
        writer.number(source + 1 + id.count + 1)
        writer.append(texts.source)
        writer.byte(UInt8(ascii: ":"))
        writer.append(id)
        let end = writer.count
        texts.write(to: &writer)
        files(&writer)
        writer.put(UInt32(writer.count - lengthBytes), at: 0)
        return end - id.count..<end
    }

    init(in bytes: [UInt8], at start: Int) {
        self.bytes = bytes
        self.start = start
    }

    /// All in one piece of memory.
    static func together(_ gifs: [PackedGif]) -> [PackedGif] {
        if areTogether(gifs) { return gifs }
        let count = gifs.reduce(0) { $0 + $1.count }
        var starts: [Int] = []
        starts.reserveCapacity(gifs.count)
        let all = ByteWriter.bytes(atMost: count) { writer in
            for gif in gifs {
                starts.append(writer.count)
                gif.write(to: &writer)
            }
        }
        return starts.map { PackedGif(in: all, at: $0) }
    }

    private static func areTogether(_ gifs: [PackedGif]) -> Bool {
        guard let first = gifs.first, gifs.count > 1 else { return false }
        let place = first.bytes.withUnsafeBufferPointer { $0.baseAddress }
        var end = 0
        for gif in gifs {
            guard gif.start == end, gif.bytes.withUnsafeBufferPointer({ $0.baseAddress }) == place else { return false }
            end += gif.count
        }
        return end == first.bytes.count
    }

    func write(to writer: inout ByteWriter) {
        let end = start + count
        bytes.withUnsafeBufferPointer { writer.append(UnsafeBufferPointer(rebasing: $0[start..<end])) }
    }

    /// In memory of its own, when its page need not be held for it.
    var alone: PackedGif { PackedGif(in: Array(slice), at: 0) }

    /// Bytes.
    var count: Int {
        Self.lengthBytes + read { reader in reader.wideNumber() }
    }

    private var slice: ArraySlice<UInt8> { bytes[start..<start + count] }

    var rating: Rating? { Self.rating(standing & ~Self.stickerBit) }

    var kind: GifKind { standing & Self.stickerBit == 0 ? .gif : .sticker }

    private var standing: UInt8 { bytes[start + Self.lengthBytes] }

    /// A number is 0 only when its first byte is.
    var hasFiles: Bool { bytes[start + Self.lengthBytes + 1] != 0 }

    func text(_ text: Text) -> String? {
        read { reader in
            _ = Self.head(&reader)
            for _ in 0..<text.rawValue { _ = reader.optional() }
            return reader.optional().map { reader.string($0) }
        }
    }

    var source: String {
        read { reader in
            let head = Self.head(&reader)
            return reader.string((reader.optional() ?? 0..<0).prefix(head.source))
        }
    }

    var id: String {
        read { reader in
            let head = Self.head(&reader)
            return reader.string((reader.optional() ?? 0..<0).dropFirst(head.source + 1))
        }
    }

    func withFiles<T>(_ body: (inout PackedFiles) -> T) -> T {
        read { reader in
            let head = Self.head(&reader)
            for _ in 0..<Self.texts { _ = reader.optional() }
            var files = PackedFiles(reader, count: head.files)
            return body(&files)
        }
    }

    static func == (one: PackedGif, other: PackedGif) -> Bool { one.slice == other.slice }

    func hash(into hasher: inout Hasher) { hasher.combine(slice) }

    private static func head(_ reader: inout ByteReader) -> (files: Int, source: Int) {
        _ = reader.wideNumber()
        _ = reader.byte()
        return (reader.number(), reader.number())
    }

    private func read<T>(_ body: (inout ByteReader) -> T) -> T {
        bytes.withUnsafeBufferPointer { bytes in
            var reader = ByteReader(bytes, at: start)
            return body(&reader)
        }
    }

    private static func number(_ rating: Rating) -> UInt8 {
        switch rating {
        case .g: 1
        case .pg: 2
        case .pg13: 3
        case .r: 4
        }
    }

    private static func rating(_ number: UInt8) -> Rating? {
        switch number {
        case 1: .g
        case 2: .pg
        case 3: .pg13
        case 4: .r
        default: nil
        }
    }
}

extension PackedGif {
    /// Of the next GIF in bytes that may be anybody's; nil when they are none. Texts and numbers are looked at by whoever makes a
    /// GIF of it again.
    init?(checking reader: inout ByteReader, in bytes: [UInt8]) {
        let start = reader.place
        let length = reader.wideNumber()
        let end = reader.place + length
        _ = reader.byte()
        let files = reader.number()
        let source = reader.number()
        guard let qualified = reader.optional(), source < qualified.count, files <= Self.mostFiles else { return nil }
        for _ in 1..<Self.texts { _ = reader.optional() }
        var all = PackedFiles(reader, count: files)
        while all.next() != nil {}
        reader = all.reader
        guard !reader.isBroken, reader.place == end else { return nil }
        self.init(in: bytes, at: start)
    }
}
