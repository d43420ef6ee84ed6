/// What the first bytes of a moving picture's file say about it. Reads nothing behind the end it is given, and every loop is
/// bounded by it.
public struct ImageHeader: Equatable, Sendable {
    public enum Format: String, Sendable {
        case gif, webp, png, mp4

        /// For Matrix's `mimetype`; taken from the bytes, not from the file's name.
        public var mediaType: String { isVideo ? "video/mp4" : "image/" + rawValue }
        public var isVideo: Bool { self == .mp4 }
    }

    public let format: Format
    /// Pixels, 1 or more.
    public let width: Int
    public let height: Int
    /// Frames found in the bytes at hand; there may be more behind them.
    public let frames: Int
    public let isAnimated: Bool

    /// Nil for other formats, for damaged headers, and where the header is not complete. With `isWhole` false the bytes are the
    /// beginning of a longer file: then a loop count is taken for a sign of animation where the second frame wasn't reached.
    public static func parse(_ bytes: [UInt8], isWhole: Bool = true) -> ImageHeader? {
        let bytes = ByteView(bytes)
        return gif(bytes, isWhole: isWhole) ?? webP(bytes, isWhole: isWhole) ?? png(bytes) ?? mp4(bytes)
    }

    /// Nil unless both sides are positive.
    init?(_ format: Format, width: Int, height: Int, frames: Int, isAnimated: Bool) {
        guard width > 0, height > 0 else { return nil }
        self.format = format
        self.width = width
        self.height = height
        self.frames = frames
        self.isAnimated = isAnimated
    }
}

/// Bytes that answer nil behind their end.
struct ByteView {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    func byte(_ offset: Int) -> Int? {
        bytes.indices.contains(offset) ? Int(bytes[offset]) : nil
    }

    /// Little-endian, `length` bytes.
    func little(_ offset: Int, _ length: Int) -> Int? {
        guard offset >= 0, length <= bytes.count, offset <= bytes.count - length else { return nil }
        return (0..<length).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }

    /// Big-endian, four bytes.
    func big(_ offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - 4 else { return nil }
        return (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }

    func has(_ mark: StaticString, at offset: Int) -> Bool {
        let length = mark.utf8CodeUnitCount
        guard offset >= 0, offset <= bytes.count - length else { return false }
        return bytes[offset..<offset + length].elementsEqual(UnsafeBufferPointer(start: mark.utf8Start, count: length))
    }
}
