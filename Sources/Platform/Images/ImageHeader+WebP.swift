extension ImageHeader {
    /// WebP container specification; for the plain forms RFC 6386, section 9.1, and the lossless specification, section 3.
    static func webP(_ bytes: ByteView, isWhole: Bool) -> ImageHeader? {
        guard bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) else { return nil }
        if bytes.has("VP8X", at: 12) { return extended(bytes, isWhole: isWhole) }
        if bytes.has("VP8 ", at: 12) { return lossy(bytes) }
        if bytes.has("VP8L", at: 12) { return lossless(bytes) }
        return nil
    }

    private static func extended(_ bytes: ByteView, isWhole: Bool) -> ImageHeader? {
        guard let flags = bytes.byte(20), let width = bytes.little(24, 3), let height = bytes.little(27, 3) else {
            return nil
        }
        let saysAnimated = flags & 0x02 != 0
        var frames = 0
        var offset = 12
        while let length = bytes.little(offset + 4, 4) {
            if bytes.has("ANMF", at: offset) { frames += 1 }
            // Chunks are padded to an even length.
            offset += 8 + length + (length & 1)
        }
        return ImageHeader(
            .webp, width: width + 1, height: height + 1, frames: saysAnimated ? frames : 1,
            isAnimated: saysAnimated && (frames > 1 || !isWhole))
    }

    private static func lossy(_ bytes: ByteView) -> ImageHeader? {
        guard bytes.little(23, 3) == 0x2A_019D, let width = bytes.little(26, 2), let height = bytes.little(28, 2) else {
            return nil
        }
        // The two top bits are a scale for display.
        return ImageHeader(.webp, width: width & 0x3FFF, height: height & 0x3FFF, frames: 1, isAnimated: false)
    }

    private static func lossless(_ bytes: ByteView) -> ImageHeader? {
        guard bytes.byte(20) == 0x2F, let bits = bytes.little(21, 4) else { return nil }
        return ImageHeader(
            .webp, width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1, frames: 1, isAnimated: false)
    }
}
