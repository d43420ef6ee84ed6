import Base
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "RFC 4648 section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, coded: String) {
        #expect(Base64.encode(plain.utf8) == coded)
        #expect(Base64.decode(coded) == Array(plain.utf8))
    }

    @Test("every byte, at every length")
    func roundTrip() {
        let all = (0...255).map { UInt8($0) }
        for length in 0...256 {
            let bytes = Array(all.suffix(length))
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(
        "one spelling for each value, and nothing else",
        arguments: ["Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", "Zm 9", "Zm-_", "=Zg=", "Zg==Zg=="])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
