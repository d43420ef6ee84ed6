/// Numbers and texts as bytes, one after the other. `ByteReader` reads them back.
struct ByteWriter {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    /// What `body` writes; it traps rather than to go beyond `most`.
    static func bytes(atMost most: Int, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: most) { bytes, count in
            var writer = ByteWriter(bytes: bytes)
            body(&writer)
            count = writer.count
        }
    }

    private init(bytes: UnsafeMutableBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func byte(_ byte: UInt8) {
        precondition(count < bytes.count, "room was counted before")
        bytes[count] = byte
        count += 1
    }

    /// Seven bits a byte, the lowest first, ten bytes at most; one below 0 counts as 0.
    mutating func number(_ number: Int) {
        var rest = UInt(max(0, number))
        while rest >= 0x80 {
            byte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    mutating func text(_ text: String) {
        number(text.utf8.count)
        append(text)
    }

    mutating func optional(_ text: String?) {
        guard let text else { return number(0) }
        number(text.utf8.count + 1)
        append(text)
    }

    /// Without its length.
    mutating func append(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ append($0) }) == nil {
            for one in text.utf8 { byte(one) }
        }
    }

    mutating func append(_ more: UnsafeBufferPointer<UInt8>) {
        precondition(more.count <= bytes.count - count, "room was counted before")
        guard let to = bytes.baseAddress, let from = more.baseAddress else { return }
        (to + count).initialize(from: from, count: more.count)
        count += more.count
    }

    /// Puts a number of four bytes where room was left for it.
    mutating func put(_ number: UInt32, at place: Int) {
        precondition(place + 4 <= count, "room was left")
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(index))) }
    }
}
