import IRC
import Testing

@Suite("Lines out of a stream")
struct LineFramerTests {
    private static let stream =
        Array(":bo!b@h PRIVMSG #cats :caf".utf8) + [0xC3, 0xA9, 0x0D, 0x0A] + Array("PING :1\n\r\n\nPING 2\r\n".utf8)
        + [0xFF, 0x00, 0x0D, 0x41, 0x0D, 0x0D, 0x0A] + Array("rest".utf8)

    private static let lines: [[UInt8]] = [
        Array(":bo!b@h PRIVMSG #cats :café".utf8), Array("PING :1".utf8), Array("PING 2".utf8),
        [0xFF, 0x00, 0x0D, 0x41, 0x0D],
    ]

    private func frame(_ pieces: [[UInt8]]) -> (lines: [[UInt8]], overlong: Int) {
        var framer = LineFramer()
        var lines: [[UInt8]] = []
        for piece in pieces {
            piece.withUnsafeBytes { bytes in framer.append(bytes) { lines.append(Array($0)) } }
        }
        return (lines, framer.overlongLines)
    }

    @Test("BUG-05: whole, byte by byte, and cut everywhere")
    func cuts() {
        #expect(frame([Self.stream]).lines == Self.lines)
        #expect(frame(Self.stream.map { [$0] }).lines == Self.lines)
        for cut in 0...Self.stream.count {
            #expect(frame([Array(Self.stream[..<cut]), Array(Self.stream[cut...])]).lines == Self.lines)
        }
    }

    @Test("BUG-05: an over-long line is thrown away up to its end", arguments: [1, 100, 8702, 8703, 8704, 50_000])
    func overlong(pieceLength: Int) {
        let long = Array(repeating: UInt8(ascii: "x"), count: 20_000)
        let stream = Array("PING 1\r\n".utf8) + long + Array("\r\nPING 2\r\n".utf8)
        let pieces = stride(from: 0, to: stream.count, by: pieceLength).map {
            Array(stream[$0..<min($0 + pieceLength, stream.count)])
        }
        let framed = frame(pieces)
        #expect(framed.lines == [Array("PING 1".utf8), Array("PING 2".utf8)])
        #expect(framed.overlong == 1)
    }

    @Test func longestLinePasses() {
        let line = Array(repeating: UInt8(ascii: "x"), count: LineFramer.limit - 2)
        #expect(frame([line + [0x0D, 0x0A]]).lines == [line])
    }
}
