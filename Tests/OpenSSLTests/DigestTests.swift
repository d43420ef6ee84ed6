import OpenSSL
import Testing

@Suite("Digests")
struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test("SHA-256 of FIPS 180-2's examples")
    func hash() {
        #expect(
            hex(SHA256.hash(Array("abc".utf8))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(hex(SHA256.hash([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("HMAC-SHA-256 of RFC 4231's second case, and with an empty key")
    func hmac() {
        #expect(
            hex(SHA256.hmac(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(hex(SHA256.hmac(key: [], [])) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("PBKDF2 of RFC 7914 section 11")
    func pbkdf2() {
        let derived = SHA256.pbkdf2(password: Array("passwd".utf8), salt: Array("salt".utf8), iterations: 1)
        #expect(hex(derived) == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc")
        #expect(SHA256.pbkdf2(password: [], salt: [], iterations: 2).count == 32)
    }

    @Test("random bytes differ")
    func random() {
        #expect(randomBytes(32).count == 32)
        #expect(randomBytes(32) != randomBytes(32))
        #expect(randomBytes(0).isEmpty)
    }

    @Test(
        "fingerprints are read with and without colons",
        arguments: [
            (String(repeating: "ab", count: 32), true), (String(repeating: "AB:", count: 31) + "AB", true),
            ("SHA256:" + String(repeating: "0f", count: 32), true), ("", false), ("ab", false),
            (String(repeating: "zz", count: 32), false), (String(repeating: "ab", count: 33), false),
        ])
    func fingerprint(text: String, isGood: Bool) {
        #expect((Fingerprint(text) != nil) == isGood)
    }

    @Test("a fingerprint is shown as openssl shows it")
    func fingerprintShown() {
        let text = String(repeating: "0F:", count: 31) + "A0"
        #expect(Fingerprint(text)?.description == text)
        #expect(Fingerprint(text.lowercased())?.description == text)
    }
}
