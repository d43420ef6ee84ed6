extension ImageHeader {
    /// ISO/IEC 14496-12: boxes inside boxes. The size is the first track's that has one (`tkhd`, section 8.3.2): sound has none.
    static func mp4(_ bytes: ByteView) -> ImageHeader? {
        guard bytes.has("ftyp", at: 4), let movie = MP4Box.first("moov", in: 0..<bytes.count, of: bytes) else {
            return nil
        }
        var place = movie.lowerBound
        while let track = MP4Box.first("trak", in: place..<movie.upperBound, of: bytes) {
            place = track.upperBound
            guard let header = MP4Box.first("tkhd", in: track, of: bytes), let version = bytes.byte(header.lowerBound)
            else { continue }
            // Times have eight bytes from version 1 on; the size is in sixteenths of sixteen bits, so the upper half counts.
            let offset = header.lowerBound + (version == 0 ? 76 : 88)
            guard let width = bytes.big(offset), let height = bytes.big(offset + 4), offset + 8 <= header.upperBound,
                let found = ImageHeader(.mp4, width: width >> 16, height: height >> 16, frames: 1, isAnimated: true)
            else { continue }
            return found
        }
        return nil
    }
}

private enum MP4Box {
    /// Bounded, because a box may have no length worth speaking of.
    private static let mostBoxes = 10_000

    /// What is inside the first box of a kind; cut at the end of the bytes at hand.
    static func first(_ kind: StaticString, in range: Range<Int>, of bytes: ByteView) -> Range<Int>? {
        var offset = range.lowerBound
        for _ in 0..<mostBoxes {
            guard offset < range.upperBound, let length = bytes.big(offset) else { return nil }
            let (start, end): (Int, Int)
            switch length {
            // To the end of the file.
            case 0: (start, end) = (offset + 8, range.upperBound)
            case 1:
                guard let high = bytes.big(offset + 8), high == 0, let low = bytes.big(offset + 12) else { return nil }
                (start, end) = (offset + 16, offset + low)
            default: (start, end) = (offset + 8, offset + length)
            }
            guard end >= start, start <= range.upperBound else { return nil }
            if bytes.has(kind, at: offset + 4) { return start..<min(end, range.upperBound) }
            offset = end
        }
        return nil
    }
}
