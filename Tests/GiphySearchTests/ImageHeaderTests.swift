import Testing

@testable import GiphySearch

/// Small files put together by hand, byte by byte as the specifications have them.
enum SmallImage {
    private static let gifFrame: [UInt8] = [
        0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 3, 0, 0, 2, 2, 0x44, 0x01, 0,
    ]

    static func gif(frames: Int, width: UInt8 = 5, height: UInt8 = 4, loops: Bool = true, trailer: Bool = true)
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

    static func webP(frames: Int, flags: UInt8 = 0x02) -> [UInt8] {
        var out = chunk("VP8X", [flags, 0, 0, 0, 0x3F, 1, 0, 0xB3, 0, 0]) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
        for _ in 0..<frames { out += chunk("ANMF", [UInt8](repeating: 0, count: 17)) }
        return riff(out)
    }

    static let lossyWebP = riff(chunk("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x41, 0xB4, 0x80]))
    static let losslessWebP = riff(chunk("VP8L", [0x2F, 0x3F, 0xC1, 0x2C, 0]))

    static func png(frames: UInt8?) -> [UInt8] {
        func part(_ name: String, _ payload: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(payload.count)] + Array(name.utf8) + payload + [0, 0, 0, 0]
        }
        var out: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        out += part("IHDR", [0, 0, 1, 0x40, 0, 0, 0, 0xB4, 8, 6, 0, 0, 0])
        out += part("gAMA", [0, 0, 0, 1])
        if let frames { out += part("acTL", [0, 0, 0, frames, 0, 0, 0, 0]) }
        return out + part("IDAT", [1, 2, 3]) + part("IEND", [])
    }
}

struct ImageHeaderTests {
    @Test(
        arguments: [
            (SmallImage.gif(frames: 3), ImageHeader(.gif, width: 5, height: 4, frames: 3, isAnimated: true)),
            (SmallImage.gif(frames: 1), ImageHeader(.gif, width: 5, height: 4, frames: 1, isAnimated: false)),
            (
                SmallImage.gif(frames: 2, loops: false),
                ImageHeader(.gif, width: 5, height: 4, frames: 2, isAnimated: true)
            ),
            (
                SmallImage.gif(frames: 2, trailer: false),
                ImageHeader(.gif, width: 5, height: 4, frames: 2, isAnimated: true)
            ),
            // The screen left at zero: the frame's own size.
            (
                SmallImage.gif(frames: 2, width: 0, height: 0),
                ImageHeader(.gif, width: 2, height: 3, frames: 2, isAnimated: true)
            ),
            (SmallImage.gif(frames: 0, width: 0, height: 0), nil),
            (SmallImage.webP(frames: 2), ImageHeader(.webp, width: 320, height: 180, frames: 2, isAnimated: true)),
            (SmallImage.webP(frames: 1), ImageHeader(.webp, width: 320, height: 180, frames: 1, isAnimated: false)),
            (
                SmallImage.webP(frames: 2, flags: 0x10),
                ImageHeader(.webp, width: 320, height: 180, frames: 1, isAnimated: false)
            ),
            (SmallImage.lossyWebP, ImageHeader(.webp, width: 320, height: 180, frames: 1, isAnimated: false)),
            (SmallImage.losslessWebP, ImageHeader(.webp, width: 320, height: 180, frames: 1, isAnimated: false)),
            (SmallImage.png(frames: 12), ImageHeader(.png, width: 320, height: 180, frames: 12, isAnimated: true)),
            (SmallImage.png(frames: 1), ImageHeader(.png, width: 320, height: 180, frames: 1, isAnimated: false)),
            (SmallImage.png(frames: nil), ImageHeader(.png, width: 320, height: 180, frames: 1, isAnimated: false)),
            ([], nil), (Array("GIF89".utf8), nil), (Array("<html>".utf8), nil), ([0xFF, 0xD8, 0xFF, 0xE0], nil),
        ] as [([UInt8], ImageHeader?)])
    func headers(bytes: [UInt8], header: ImageHeader?) {
        #expect(ImageHeader.parse(bytes) == header)
    }

    private static let all = [
        SmallImage.gif(frames: 3), SmallImage.webP(frames: 2), SmallImage.lossyWebP, SmallImage.losslessWebP,
        SmallImage.png(frames: 12),
        SmallImage.png(frames: nil),
    ]

    /// Cut anywhere there is the same answer or less of it, never another size.
    @Test(arguments: all) func cutAnywhere(bytes: [UInt8]) throws {
        let whole = try #require(ImageHeader.parse(bytes))
        for length in 0..<bytes.count {
            for isWhole in [true, false] {
                guard let header = ImageHeader.parse(Array(bytes[..<length]), isWhole: isWhole) else { continue }
                #expect(header.width == whole.width && header.height == whole.height)
                #expect(header.frames <= whole.frames)
                #expect(!header.isAnimated || whole.isAnimated)
            }
        }
    }

    @Test(arguments: all) func damageNeverTraps(bytes: [UInt8]) {
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x2C, 0x21, 0x7F, 0x80, 0xFF] {
                var damaged = bytes
                damaged[index] = value
                if let header = ImageHeader.parse(damaged) { #expect(header.width > 0 && header.height > 0) }
            }
        }
    }

    @Test func aLongFileIsJudgedByItsBeginning() {
        let bytes = SmallImage.gif(frames: 1, trailer: false)
        #expect(ImageHeader.parse(bytes, isWhole: true)?.isAnimated == false)
        #expect(ImageHeader.parse(bytes, isWhole: false)?.isAnimated == true)
        #expect(
            ImageHeader.parse(SmallImage.gif(frames: 1, loops: false, trailer: false), isWhole: false)?.isAnimated
                == false)
        #expect(ImageHeader.parse(SmallImage.gif(frames: 1), isWhole: false)?.isAnimated == false)
    }

    @Test func mediaTypes() {
        #expect([ImageHeader.Format.gif, .webp, .png].map(\.mediaType) == ["image/gif", "image/webp", "image/png"])
    }
}
