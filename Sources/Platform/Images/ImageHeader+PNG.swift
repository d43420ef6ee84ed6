extension ImageHeader {
    /// PNG specification, third edition: `acTL` before the first `IDAT` makes it an animation, and holds the number of frames.
    static func png(_ bytes: ByteView) -> ImageHeader? {
        guard bytes.big(0) == 0x8950_4E47, bytes.big(4) == 0x0D0A_1A0A, bytes.has("IHDR", at: 12),
            let width = bytes.big(16), let height = bytes.big(20), width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF
        else { return nil }
        var frames = 1
        var offset = 8
        while let length = bytes.big(offset), !bytes.has("IDAT", at: offset + 4) {
            if bytes.has("acTL", at: offset + 4) {
                frames = bytes.big(offset + 8) ?? 1
                break
            }
            // Length, type, data, checksum.
            offset += 12 + length
        }
        return ImageHeader(.png, width: width, height: height, frames: frames, isAnimated: frames > 1)
    }
}
