import OpenSSL
import Testing

@Suite struct CipherTests {
    /// NIST SP 800-38A, F.5.5 and F.5.6.
    @Test func counterModeOfThePublication() throws {
        let key = hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
        let iv = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        let plain = hex(
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
        let cipher = hex(
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
                + "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6")
        #expect(AES256CTR.apply(key: key, iv: iv, to: plain) == cipher)
        #expect(AES256CTR.apply(key: key, iv: iv, to: cipher) == plain)
        // A file need not fill its last block.
        #expect(AES256CTR.apply(key: key, iv: iv, to: Array(plain.prefix(37))) == Array(cipher.prefix(37)))
        #expect(AES256CTR.apply(key: key, iv: iv, to: []) == [])
    }

    @Test(arguments: [(31, 16), (33, 16), (0, 16), (16, 16), (32, 15), (32, 17), (32, 0)])
    func anotherLengthIsRefused(_ key: Int, _ iv: Int) {
        let zero = { [UInt8](repeating: 0, count: $0) }
        #expect(AES256CTR.apply(key: zero(key), iv: zero(iv), to: [1]) == nil)
    }

    /// RFC 5869, A.1 to A.3.
    @Test func derivationOfThePublication() {
        let plainKey = [UInt8](repeating: 0x0b, count: 22)
        #expect(
            SHA256.hkdf(key: plainKey, salt: Array(0...12), info: Array(0xf0...0xf9), count: 42)
                == hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
        #expect(
            SHA256.hkdf(
                key: Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff), count: 82)
                == hex(
                    "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                        + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f"
                        + "1d87"))
        #expect(
            SHA256.hkdf(key: plainKey, salt: [], info: [], count: 42)
                == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
        #expect(SHA256.hkdf(key: [], salt: [], info: [], count: 0) == [])
        #expect(SHA256.hkdf(key: [1], salt: [], info: [], count: 255 * 32).count == 255 * 32)
    }

    @Test func comparison() {
        #expect(isEqualInConstantTime([], []) && isEqualInConstantTime([1, 2], [1, 2]))
        #expect(!isEqualInConstantTime([1, 2], [1, 3]) && !isEqualInConstantTime([1], [1, 0]))
    }

    private func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
