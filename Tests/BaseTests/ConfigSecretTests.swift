import Base
import Testing

@Suite struct ConfigSecretTests {
    @Test(
        arguments: [
            ("${TOKEN}", "abc"), ("${UNSET}", nil), ("${EMPTY}", nil), ("x${TOKEN}", "x${TOKEN}"), ("$TOKEN", "$TOKEN"),
            ("${TOKEN}x", "${TOKEN}x"), ("${}", "${}"), ("${TO KEN}", "${TO KEN}"), ("${${TOKEN}}", "${${TOKEN}}"),
        ] as [(String, String?)])
    func variables(_ text: String, expected: String?) throws {
        let config = try Config([("key", .plain(text))], environment: ["TOKEN": "abc", "EMPTY": ""])
        #expect(config.map.secret("key")?.value == expected)
        #expect(config.context.secrets.map(\.value) == (expected.map { [$0] } ?? []))
        #expect(config.faults.isEmpty == (expected != nil))
    }

    @Test func anUnsetVariableIsNamed() throws {
        let config = try Config([("nick", .plain("${NICK}"))])
        #expect(config.map.text("nick") == nil)
        #expect(config.faults == ["nick: the environment variable NICK is not set"])
    }

    @Test(
        arguments: [
            ("abc\n", "abc"), ("abc\r\n", "abc"), ("abc", "abc"), (" abc \n", " abc "), ("abc\n\n", "abc\n"),
            ("a\nb", "a\nb"),
            ("", nil), ("\n", nil), ("\r\n", nil),
        ] as [(String, String?)])
    func files(_ text: String, expected: String?) throws {
        let config = try Config([("key_file", .plain("k.txt"))], files: ["/etc/gifbot/k.txt": text])
        #expect(config.map.secret("key")?.value == expected)
        #expect(config.faults == (expected == nil ? ["key_file: the file k.txt is empty"] : []))
        config.map.finish()
        #expect(config.context.faults.count == (expected == nil ? 1 : 0))
    }

    @Test func aFileThatCannotBeRead() throws {
        let config = try Config([("key_file", .plain("/run/k"))])
        #expect(config.map.secret("key") == nil)
        #expect(config.faults == ["key_file: can't read the file /run/k: no such file"])
    }

    @Test func bothWaysAtOnce() throws {
        let config = try Config([("key", .plain("S3CRET")), ("key_file", .plain("k"))])
        #expect(config.map.secret("key") == nil)
        #expect(config.faults == ["key_file: both key and key_file are given; one is enough"])
    }

    @Test func anEmptySecretIsNone() throws {
        let config = try Config([("key", .plain(""))])
        #expect(config.map.secret("key") == nil)
        #expect(config.faults == ["key: expected text, found an empty one"])
        #expect(config.context.secrets.isEmpty)
    }

    @Test func aCommentBehindASecretIsDoubtful() throws {
        let config = try Config([("key", .plain("ab", comment: true)), ("nick", .plain("c", comment: true))])
        #expect(config.map.secret("key") == Secret("ab"))
        #expect(config.map.text("nick") == "c")
        #expect(config.warnings == ["key"])
    }

    @Test func secretsPrintAsStars() {
        #expect("\(Secret("abc")) \(String(reflecting: Secret("abc"))) \([Secret("abc")])" == "*** *** [***]")
    }

    @Test(arguments: [("gifs", "/etc/gifbot/gifs"), ("/srv/gifs", "/srv/gifs"), ("../x", "/etc/gifbot/../x")])
    func pathsStartAtTheFile(_ text: String, expected: String) throws {
        let config = try Config([("path", .plain(text))])
        #expect(config.map.filePath("path") == expected)
    }
}
