import Libolm
import OpenSSL
import TestSupport
import Testing

@testable import MatrixCrypto

@Suite struct ShortStringTests {
    @Test func theFirstAndTheLastOfTheTable() throws {
        let first = try #require(ShortString([0, 0, 0, 0, 0, 0], hasEmoji: true))
        #expect(first.emoji.map(\.name) == [String](repeating: "Dog", count: 7))
        #expect(first.decimals == [1000, 1000, 1000])
        let last = try #require(ShortString([255, 255, 255, 255, 255, 255], hasEmoji: true))
        #expect(last.emoji.map(\.name) == [String](repeating: "Pin", count: 7))
        #expect(last.decimals == [9191, 9191, 9191])
        #expect(ShortString([1, 2, 3], hasEmoji: true) == nil)
        #expect(ShortString([0, 0, 0, 0, 0, 0], hasEmoji: false)?.emoji == [])
    }

    /// The spec's own arithmetic for three numbers.
    @Test func theSpecsFormula() throws {
        for _ in 0..<200 {
            let b = randomBytes(6).map(Int.init)
            let short = try #require(ShortString(b.map(UInt8.init), hasEmoji: true))
            #expect(
                short.decimals == [
                    (b[0] << 5 | b[1] >> 3) + 1000, ((b[1] & 7) << 10 | b[2] << 2 | b[3] >> 6) + 1000,
                    ((b[3] & 0x3f) << 7 | b[4] >> 1) + 1000,
                ])
        }
    }

    @Test(.enabled(if: VodozemacSide.isWanted)) func anotherImplementationShowsTheSame() throws {
        let other = try VodozemacSide()
        let numbers = (0..<64).map { number -> [UInt8] in
            let bits = UInt64(number) << 42
            return (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * $0)) }
        }
        let names = numbers.compactMap { ShortString($0, hasEmoji: true)?.emoji[0].name }
        #expect(Set(names).count == 64)
        for round in 0..<20 {
            let sas = try LibolmDriver(random: randomBytes).makeShortAuthentication()
            try sas.setTheirKey(try other.text("sas", "sas\(round)"))
            try other.take("sas_agree", "sas\(round)", sas.publicKey)
            let theirs = try other.fields("sas_emoji", "sas\(round)", "info \(round)")
            let short = try #require(ShortString(try sas.bytes(6, info: "info \(round)"), hasEmoji: true))
            #expect(short.decimals == theirs["decimals"] as? [Int])
            let indices = try #require(theirs["emoji"] as? [Int])
            #expect(short.emoji.map(\.name) == indices.map { names[$0] })
        }
    }
}
