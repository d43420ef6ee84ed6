import MatrixCrypto
import OpenSSL
import Testing

@Suite struct Base64Tests {
    /// RFC 4648 section 10, and the spec's "Unpadded Base64".
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ]) func published(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(Base64.decode(text) == Array(plain.utf8))
        #expect(Base64.decode(text + String(repeating: "=", count: (4 - text.count % 4) % 4)) == Array(plain.utf8))
    }

    @Test func theTwoAlphabetsDifferInTwoDigits() {
        #expect(Base64.encode([0xfb, 0xff]) == "+/8" && Base64.encode([0xfb, 0xff], .urlSafe) == "-_8")
        #expect(Base64.decode("-_8") == nil && Base64.decode("+/8", .urlSafe) == nil)
        #expect(Base64.decode("-_8", .urlSafe) == [0xfb, 0xff])
    }

    @Test(arguments: [
        "A", "AAAAA", "Zg=", "Zg===", "Zm8==", "=", "==", "====", "Zm9v=", "Zm9v====", "Zh", "Zm9", "Z g", "Zg\n",
        "Z\u{0}g", "Zg==Zg==", "Zä", "ＺＺ",
    ]) func whatIsOddIsRefused(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func bytesOfEveryLengthComeBack() {
        for count in 0..<200 {
            let bytes = randomBytes(count)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64.decode(Base64.encode(bytes, .urlSafe), .urlSafe) == bytes)
        }
    }
}
