/// Packs the GIFs of a page one after the other while they are read, into the memory that they share.
struct PageWriter: ~Copyable {
    /// Bytes; most pages of 25 stay below it.
    private static let usual = 24 << 10

    private var buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: PageWriter.usual)
    private var filled = 0
    private var starts: [Int] = []
    private var ids: [Range<Int>] = []

    init() {
        starts.reserveCapacity(25)
        ids.reserveCapacity(25)
    }

    deinit { buffer.deallocate() }

    var count: Int { starts.count }

    /// Pages are short, and ids of one source differ in their last letters at the latest.
    func contains(id: UnsafeBufferPointer<UInt8>) -> Bool {
        ids.contains { place in
            guard place.count == id.count else { return false }
            var index = id.count
            while index > 0 {
                index -= 1
                if buffer[place.lowerBound + index] != id[index] { return false }
            }
            return true
        }
    }

    /// `write` writes one GIF, and says where its id lies.
    mutating func append(atMost most: Int, _ write: (inout ByteWriter) -> Range<Int>) {
        makeRoom(most)
        var writer = ByteWriter(UnsafeMutableBufferPointer(rebasing: buffer[filled...]))
        let id = write(&writer)
        starts.append(filled)
        ids.append(filled + id.lowerBound..<filled + id.upperBound)
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
