/// Numbers and texts as bytes, one after the other. `ByteReader` reads them back.
struct ByteWriter {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    /// What `body` writes; it traps rather than to go beyond `most`.
    static func bytes(atMost most: Int, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: most) { bytes, count in
            var writer = ByteWriter(bytes)
            body(&writer)
            count = writer.count
        }
    }

    /// Not beyond these.
    init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { self.bytes = bytes }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        precondition(count < bytes.count, "room was counted before")
        bytes[count] = byte
        count += 1
    }

    /// Seven bits a byte, the lowest first, ten bytes at most; one below 0 counts as 0.
    @inline(__always)
    mutating func number(_ number: Int) {
        if 0..<0x80 ~= number { return byte(UInt8(truncatingIfNeeded: number)) }
        longNumber(number)
    }

    private mutating func longNumber(_ number: Int) {
        var rest = UInt(max(0, number))
        while rest >= 0x80 {
            byte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    mutating func text(_ text: UnsafeBufferPointer<UInt8>) {
        number(text.count)
        append(text)
    }

    mutating func optional(_ text: some PackedText) { text.withBytes { optional($0) } }

    mutating func optional(_ text: (some PackedText)?) {
        guard let text else { return number(0) }
        optional(text)
    }

    mutating func optional(_ text: UnsafeBufferPointer<UInt8>) {
        number(text.count + 1)
        append(text)
    }

    /// A text made fit for one line of chat.
    mutating func line(_ text: some PackedText, maximumScalars: Int) {
        text.withBytes { text in
            if let cleaned = cleanedLine(text, maximumScalars: maximumScalars) {
                cleaned.withUnsafeBufferPointer { optional($0) }
            } else {
                optional(text)
            }
        }
    }

    /// Nothing where nothing of it is left.
    mutating func lineUnlessEmpty(_ text: (some PackedText)?, maximumScalars: Int) {
        guard let text else { return number(0) }
        text.withBytes { text in
            if let cleaned = cleanedLine(text, maximumScalars: maximumScalars) {
                cleaned.isEmpty ? number(0) : cleaned.withUnsafeBufferPointer { optional($0) }
            } else {
                text.isEmpty ? number(0) : optional(text)
            }
        }
    }

    /// Without its length.
    mutating func append(_ text: String) { text.withBytes { append($0) } }

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
