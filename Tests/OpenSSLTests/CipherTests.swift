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

    private func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
