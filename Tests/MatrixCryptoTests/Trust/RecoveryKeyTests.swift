import OpenSSL
import Testing

@testable import MatrixCrypto

@Suite struct RecoveryKeyTests {
    @Test(arguments: 0..<50) func thereAndBack(_ round: Int) throws {
        let bytes = round == 0 ? [UInt8](repeating: 0, count: 32) : randomBytes(32)
        let key = try #require(RecoveryKey(bytes))
        let groups: [Substring] = key.text.split(separator: " ")
        #expect(key.text.hasPrefix("Es") && groups.dropLast().allSatisfy { $0.count == 4 })
        #expect(RecoveryKey(key.text) == key && RecoveryKey(" \t\(key.text.replacing(" ", with: ""))\n") == key)
        #expect("\(key)" == "a recovery key")
    }

    @Test("a wrong letter is noticed, but for one in 256: the parity has no more room") func typing() throws {
        let text = try #require(RecoveryKey([UInt8](repeating: 9, count: 32))).text
        var letters = Array(text)
        var missed = 0
        for place in letters.indices where letters[place] != " " {
            let right = letters[place]
            letters[place] = right == "A" ? "B" : "A"
            if RecoveryKey(String(letters)) != nil { missed += 1 }
            letters[place] = "0"
            #expect(RecoveryKey(String(letters)) == nil, "no digit of base58")
            letters[place] = right
        }
        #expect(missed <= 2)
        #expect(RecoveryKey("") == nil && RecoveryKey(String(text.dropLast())) == nil)
        #expect(RecoveryKey(String(repeating: "z", count: 5_000)) == nil)
    }

    @Test("another name, key or letter opens nothing") func sealed() throws {
        let cipher = IdentityBench.cipher
        let key = randomBytes(32)
        let sealed = try #require(cipher.sealed([1, 2, 3], name: "a", key: key, iv: SecretCipher.iv(randomBytes(16))))
        #expect(cipher.opened(sealed, name: "a", key: key) == [1, 2, 3])
        #expect(cipher.opened(sealed, name: "b", key: key) == nil)
        #expect(cipher.opened(sealed, name: "a", key: randomBytes(32)) == nil)
        for place in sealed.indices where place >= 16 {
            var wrong = sealed
            wrong[place] ^= 1
            #expect(cipher.opened(wrong, name: "a", key: key) == nil)
        }
        #expect(cipher.opened([1, 2], name: "a", key: key) == nil)
    }
}
