import TestSupport
import Testing

@testable import Images

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
            (SmallImage.mp4(), ImageHeader(.mp4, width: 320, height: 180, frames: 1, isAnimated: true)),
            (SmallImage.mp4(version: 1), ImageHeader(.mp4, width: 320, height: 180, frames: 1, isAnimated: true)),
            ([], nil), (Array("GIF89".utf8), nil), (Array("<html>".utf8), nil), ([0xFF, 0xD8, 0xFF, 0xE0], nil),
        ] as [([UInt8], ImageHeader?)])
    func headers(bytes: [UInt8], header: ImageHeader?) {
        #expect(ImageHeader.parse(bytes) == header)
    }

    private static let all = [
        SmallImage.gif(frames: 3), SmallImage.webP(frames: 2), SmallImage.lossyWebP, SmallImage.losslessWebP,
        SmallImage.png(frames: 12),
        SmallImage.png(frames: nil), SmallImage.mp4(),
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
        #expect(
            [ImageHeader.Format.gif, .webp, .png, .mp4].map(\.mediaType)
                == ["image/gif", "image/webp", "image/png", "video/mp4"])
    }
}
