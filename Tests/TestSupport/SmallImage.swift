/// Small files put together by hand, byte by byte as the specifications have them.
public enum SmallImage {
    private static let gifFrame: [UInt8] = [
        0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 3, 0, 0, 2, 2, 0x44, 0x01, 0,
    ]

    public static func gif(frames: Int, width: UInt8 = 5, height: UInt8 = 4, loops: Bool = true, trailer: Bool = true)
        -> [UInt8]
    {
        var out = Array("GIF89a".utf8) + [width, 0, height, 0, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
        if loops { out += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0] }
        for _ in 0..<frames { out += gifFrame }
        return trailer ? out + [0x3B] : out
    }

    private static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        let length = UInt32(payload.count)
        let padding: [UInt8] = payload.count % 2 == 1 ? [0] : []
        return Array(name.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + payload + padding
    }

    private static func riff(_ chunks: [UInt8]) -> [UInt8] {
        let length = UInt32(chunks.count + 4)
        return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + Array("WEBP".utf8)
            + chunks
    }

    public static func webP(frames: Int, flags: UInt8 = 0x02) -> [UInt8] {
        var out = chunk("VP8X", [flags, 0, 0, 0, 0x3F, 1, 0, 0xB3, 0, 0]) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
        for _ in 0..<frames { out += chunk("ANMF", [UInt8](repeating: 0, count: 17)) }
        return riff(out)
    }

    public static let lossyWebP = riff(chunk("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x41, 0xB4, 0x80]))
    public static let losslessWebP = riff(chunk("VP8L", [0x2F, 0x3F, 0xC1, 0x2C, 0]))

    public static func png(frames: UInt8?) -> [UInt8] {
        func part(_ name: String, _ payload: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(payload.count)] + Array(name.utf8) + payload + [0, 0, 0, 0]
        }
        var out: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        out += part("IHDR", [0, 0, 1, 0x40, 0, 0, 0, 0xB4, 8, 6, 0, 0, 0])
        out += part("gAMA", [0, 0, 0, 1])
        if let frames { out += part("acTL", [0, 0, 0, frames, 0, 0, 0, 0]) }
        return out + part("IDAT", [1, 2, 3]) + part("IEND", [])
    }

    /// A film: sound first, which has no size, then a picture of 320 × 180.
    public static func mp4(version: UInt8 = 0) -> [UInt8] {
        func box(_ kind: String, _ payload: [UInt8]) -> [UInt8] {
            let length = UInt32(payload.count + 8)
            return (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + Array(kind.utf8) + payload
        }
        func track(_ size: [UInt8]) -> [UInt8] {
            let before = [version] + [UInt8](repeating: 0, count: version == 0 ? 75 : 87)
            return box("trak", box("edts", []) + box("tkhd", before + size))
        }
        let movie =
            box("mvhd", [UInt8](repeating: 0, count: 100)) + track([UInt8](repeating: 0, count: 8))
            + track([1, 0x40, 0, 0, 0, 0xB4, 0, 0])
        return box("ftyp", Array("isom0000".utf8)) + box("mdat", [1, 2, 3]) + box("moov", movie)
    }
}
