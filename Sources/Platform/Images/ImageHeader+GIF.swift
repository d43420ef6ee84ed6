extension ImageHeader {
    /// GIF89a specification, sections 18 to 26. The second frame is all that has to be found, but frames are counted on to a bound
    /// since it costs little: sub-blocks are stepped over, not read.
    static func gif(_ bytes: ByteView, isWhole: Bool) -> ImageHeader? {
        guard bytes.has("GIF89a", at: 0) || bytes.has("GIF87a", at: 0), let width = bytes.little(6, 2),
            let height = bytes.little(8, 2), let packed = bytes.byte(10)
        else { return nil }
        var scan = GIFScan(bytes: bytes, offset: 13 + colourTableLength(packed))
        scan.run()
        let isCut = !isWhole && scan.reachedEnd
        let isAnimated = scan.frames > 1 || isCut && scan.loops
        // Some files leave the screen at zero and have their size in the frame alone.
        let size = width > 0 && height > 0 ? (width, height) : scan.firstFrame ?? (0, 0)
        return ImageHeader(.gif, width: size.0, height: size.1, frames: scan.frames, isAnimated: isAnimated)
    }
}

/// Bit 7: there is a table; bits 0 to 2: 3 × 2^(n+1) bytes.
private func colourTableLength(_ packed: Int) -> Int {
    packed & 0x80 == 0 ? 0 : 3 << ((packed & 7) + 1)
}

/// Steps from block to block; each step moves on by a byte at least, so it ends with the bytes.
private struct GIFScan {
    private static let maximumFrames = 10_000

    let bytes: ByteView
    var offset: Int
    var frames = 0
    var firstFrame: (Int, Int)?
    /// The NETSCAPE extension is there, which only animations carry.
    var loops = false
    /// The bytes ended before a trailer; common in the wild for whole files too.
    var reachedEnd = false

    mutating func run() {
        while frames < Self.maximumFrames {
            switch bytes.byte(offset) {
            case 0x2C: guard image() else { return }
            case 0x21: guard extensionBlock() else { return }
            case .none:
                reachedEnd = true
                return
            case .some: return
            }
        }
    }

    /// Ten bytes of descriptor, a table of its own perhaps, the code size, the data.
    private mutating func image() -> Bool {
        guard let width = bytes.little(offset + 5, 2), let height = bytes.little(offset + 7, 2),
            let packed = bytes.byte(offset + 9)
        else {
            reachedEnd = true
            return false
        }
        frames += 1
        if firstFrame == nil { firstFrame = (width, height) }
        offset += 10 + colourTableLength(packed) + 1
        return subBlocks()
    }

    private mutating func extensionBlock() -> Bool {
        if bytes.has("NETSCAPE2.0", at: offset + 3) { loops = true }
        offset += 2
        return subBlocks()
    }

    private mutating func subBlocks() -> Bool {
        while let length = bytes.byte(offset) {
            offset += 1 + length
            if length == 0 { return true }
        }
        reachedEnd = true
        return false
    }
}
