/// One file of a GIF, where it lies in the GIF's bytes. Addresses of one GIF differ in a few letters, so each after the first is
/// what it begins and ends with as the first does, and what stands between.
struct PackedFile {
    /// Pixels and bytes; 0 when unknown.
    let width: Int
    let height: Int
    let byteCount: Int
    private let start: Range<Int>
    private let middle: Range<Int>
    private let end: Range<Int>
    private let spelledType: Range<Int>?
    private let commonType: String?
    private let localPath: Range<Int>?

    /// `first`: where the address of the GIF's first file lies; nil for that one.
    init(_ reader: inout ByteReader, first: Range<Int>?) {
        width = reader.number()
        height = reader.number()
        byteCount = reader.number()
        if let first {
            let before = min(reader.number(), first.count)
            let after = min(reader.number(), first.count - before)
            start = first.prefix(before)
            end = first.suffix(after)
        } else {
            start = 0..<0
            end = 0..<0
        }
        middle = reader.text()
        let type = reader.number()
        commonType = Self.commonType(type)
        spelledType = type >= Self.spelled ? reader.range(of: type - Self.spelled) : nil
        localPath = reader.optional()
    }

    /// Bytes that it takes at most, beside its texts.
    static let mostBesideTexts = 96

    static func most(_ file: Rendition) -> Int {
        mostBesideTexts + file.url.utf8.count + (file.mediaType?.utf8.count ?? 0) + (file.localPath?.utf8.count ?? 0)
    }

    static func write(_ file: Rendition, first: String?, to writer: inout ByteWriter) {
        write(
            file.url, first: first, width: file.width, height: file.height, byteCount: file.byteCount,
            mediaType: file.mediaType, localPath: file.localPath, to: &writer)
    }

    /// `first`: the address of the GIF's first file; nil for that one.
    static func write<Text: PackedText>(
        _ url: Text, first: Text?, width: Int?, height: Int?, byteCount: Int?, mediaType: String? = nil,
        localPath: String? = nil, to writer: inout ByteWriter
    ) {
        writer.number(width ?? 0)
        writer.number(height ?? 0)
        writer.number(byteCount ?? 0)
        url.withBytes { url in
            if let first {
                first.withBytes { write(url, like: $0, to: &writer) }
            } else {
                writer.text(url)
            }
        }
        if let type = mediaType {
            if let number = (1..<spelled).first(where: { commonType($0) == type }) {
                writer.number(number)
            } else {
                writer.number(spelled + type.utf8.count)
                writer.append(type)
            }
        } else {
            writer.number(0)
        }
        writer.optional(localPath)
    }

    private static func write(
        _ url: UnsafeBufferPointer<UInt8>, like first: UnsafeBufferPointer<UInt8>, to writer: inout ByteWriter
    ) {
        let (before, after) = commonEnds(url, first)
        writer.number(before)
        writer.number(after)
        writer.text(UnsafeBufferPointer(rebasing: url[before..<url.count - after]))
    }

    /// Of a GIF's first file: where its address lies.
    var address: Range<Int> { middle }

    func rendition(_ reader: ByteReader) -> Rendition {
        Rendition(
            url: start.isEmpty && end.isEmpty ? reader.string(middle) : reader.string(start, middle, end),
            width: width == 0 ? nil : width, height: height == 0 ? nil : height,
            byteCount: byteCount == 0 ? nil : byteCount,
            mediaType: commonType ?? spelledType.map { reader.string($0) },
            localPath: localPath.map { reader.string($0) })
    }

    /// From here on it is how long a type is that follows.
    private static let spelled = 4

    private static func commonType(_ number: Int) -> String? {
        switch number {
        case 1: "image/gif"
        case 2: "video/mp4"
        case 3: "image/webp"
        default: nil
        }
    }

    /// How many bytes two texts begin with alike, and how many of the rest they end with.
    private static func commonEnds(
        _ text: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
    ) -> (Int, Int) {
        let least = min(text.count, other.count)
        var before = 0
        if let text = UnsafeRawPointer(text.baseAddress), let other = UnsafeRawPointer(other.baseAddress) {
            // Eight at once.
            while before + 8 <= least,
                text.loadUnaligned(fromByteOffset: before, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: before, as: UInt64.self)
            { before += 8 }
        }
        while before < least, text[before] == other[before] { before += 1 }
        var after = 0
        while after < least - before, text[text.count - 1 - after] == other[other.count - 1 - after] { after += 1 }
        return (before, after)
    }
}

/// The files of one GIF, one after the other.
struct PackedFiles: IteratorProtocol {
    private(set) var reader: ByteReader
    private var left: Int
    private var first: Range<Int>?

    init(_ reader: ByteReader, count: Int) {
        self.reader = reader
        left = count
    }

    mutating func next() -> PackedFile? {
        guard left > 0, !reader.isBroken else { return nil }
        left -= 1
        let file = PackedFile(&reader, first: first)
        first = first ?? file.address
        return file
    }

    func rendition(_ file: PackedFile) -> Rendition { file.rendition(reader) }
}
