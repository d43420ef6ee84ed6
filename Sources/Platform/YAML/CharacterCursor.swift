/// Finds bytes by libyaml's character numbers, always forwards, so that a whole file is gone through once.
struct CharacterCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var character = 0
    private var byte = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// True when blanks and then a `#` follow: the rest of the line is a comment.
    mutating func startsComment(after end: Int) -> Bool {
        while character < end, byte < bytes.count {
            byte += 1
            // Continuation bytes belong to the character before them.
            while byte < bytes.count, bytes[byte] & 0xC0 == 0x80 { byte += 1 }
            character += 1
        }
        var next = byte
        while next < bytes.count, bytes[next] == 0x20 || bytes[next] == 0x09 { next += 1 }
        return next > byte && next < bytes.count && bytes[next] == UInt8(ascii: "#")
    }
}
