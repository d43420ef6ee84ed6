import Base

/// Packs the GIFs of a page one after the other while they are read, into the memory that they share.
struct PageWriter: ~Copyable {
    /// Bytes; most pages of 25 stay below it.
    private static let usual = 24 << 10

    private var buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: PageWriter.usual)
    private var filled = 0
    private var starts: [Int] = []
    private var ids: [(digest: UInt64, place: Range<Int>)] = []

    init() {
        starts.reserveCapacity(25)
        ids.reserveCapacity(25)
    }

    deinit { buffer.deallocate() }

    var count: Int { starts.count }

    /// Pages are short: going through them is cheaper than a set of texts.
    func contains(id: UnsafeBufferPointer<UInt8>) -> Bool {
        let digest = shortDigest(id)
        for other in ids where other.digest == digest {
            if buffer[other.place].elementsEqual(id) { return true }
        }
        return false
    }

    /// `write` writes one GIF, and says where its id lies, counted from where the GIF begins.
    mutating func append(atMost most: Int, _ write: (inout ByteWriter) -> Range<Int>) {
        makeRoom(most)
        var writer = ByteWriter(UnsafeMutableBufferPointer(rebasing: buffer[filled...]))
        let id = write(&writer)
        starts.append(filled)
        let place = filled + id.lowerBound..<filled + id.upperBound
        ids.append((shortDigest(UnsafeBufferPointer(rebasing: buffer[place])), place))
        filled += writer.count
    }

    private mutating func makeRoom(_ count: Int) {
        guard buffer.count - filled < count else { return }
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(filled + count, buffer.count * 2))
        _ = larger.initialize(fromContentsOf: buffer[..<filled])
        buffer.deallocate()
        buffer = larger
    }

    consuming func gifs() -> [Gif] {
        let bytes = [UInt8](UnsafeBufferPointer(rebasing: buffer[..<filled]))
        return starts.map { Gif(PackedGif(in: bytes, at: $0)) }
    }
}
