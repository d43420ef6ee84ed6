import Files
import Images

/// Finds an MP4's `moov` box where it stands behind the pictures, by stepping over boxes instead of reading them
/// (ISO/IEC 14496-12, section 4.2).
enum MovieBoxes {
    private static let mostBoxes = 1000
    /// Bytes of it that are read: the size stands near the beginning of a track.
    private static let mostOfMovie = 1 << 20

    static func isMovie(_ beginning: [UInt8]) -> Bool {
        beginning.count >= 12 && beginning[4..<8].elementsEqual("ftyp".utf8)
    }

    /// `bytes` is the file's length.
    static func header(of file: borrowing FileDescriptor, bytes: Int) -> ImageHeader? {
        let type = file.piece(from: 0, upTo: min(bytes, 16))
        var offset = 0
        for _ in 0..<mostBoxes {
            let head = file.piece(from: offset, upTo: min(16, max(0, bytes - offset)))
            guard head.count >= 8 else { return nil }
            var length = number(head[0..<4])
            if length == 1, head.count == 16 { length = number(head[8..<16]) }
            if length == 0 { length = bytes - offset }
            guard length >= 8, length <= bytes - offset else { return nil }
            if head[4..<8].elementsEqual("moov".utf8) {
                // Its type has to stand in front: a box of sixteen bytes, whatever length it had.
                let first: [UInt8] = [0, 0, 0, 16] + type[4...]
                let movie = file.piece(from: offset, upTo: min(length, mostOfMovie))
                return ImageHeader.parse(first + movie, isWhole: false)
            }
            offset += length
        }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(truncatingIfNeeded: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }
}
