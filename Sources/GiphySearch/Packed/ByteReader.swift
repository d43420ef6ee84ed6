/// Reads what `ByteWriter` wrote. Past the end, and after anything that can't be, it reads zeros and empty texts, and says so.
struct ByteReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var place: Int
    private(set) var isBroken = false

    init(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int = 0) {
        self.bytes = bytes
        self.place = place
    }

    var isAtEnd: Bool { place >= bytes.count }

    mutating func byte() -> UInt8 {
        guard place < bytes.count else {
            isBroken = true
            return 0
        }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() -> Int {
        let first = byte()
        if first < 0x80 { return Int(first) }
        var number = UInt(first & 0x7F)
        var shift: UInt = 7
        while shift < 63 {
            let next = byte()
            number |= UInt(next & 0x7F) << shift
            if next < 0x80 { return Int(number) }
            shift += 7
        }
        isBroken = true
        return 0
    }

    /// A number of four bytes.
    mutating func wideNumber() -> Int {
        var number = 0
        for index in 0..<4 { number |= Int(byte()) << (8 * index) }
        return number
    }

    /// Where a text lies.
    mutating func text() -> Range<Int> { range(of: number()) }

    mutating func optional() -> Range<Int>? {
        let count = number()
        return count == 0 ? nil : range(of: count - 1)
    }

    mutating func range(of count: Int) -> Range<Int> {
        guard count <= bytes.count - place else {
            isBroken = true
            return place..<place
        }
        defer { place += count }
        return place..<place + count
    }

    func string(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// Several pieces as one text.
    func string(_ pieces: Range<Int>...) -> String {
        let count = pieces.reduce(0) { $0 + $1.count }
        return String(unsafeUninitializedCapacity: count) { buffer in
            var filled = 0
            for piece in pieces {
                filled = buffer[filled...].initialize(fromContentsOf: bytes[piece])
            }
            return filled
        }
    }
}
