import Base
import Testing
import YAML

/// A file as the program reads it: through the reader, then by a decoder for the keys.
private struct Decoded {
    let context: ConfigContext
    let map: ConfigMap

    init(_ text: String, environment: [String: String] = [:]) throws {
        context = ConfigContext(folder: "/etc", environment: { environment[$0] }) { (_) throws(ConfigFileError) in
            throw ConfigFileError(reason: "no such file")
        }
        map = try #require(try ConfigMap(parse(text), path: "", in: context))
    }

    var faults: [String] {
        context.faults.map { "\($0.place?.line ?? 0):\($0.place?.column ?? 0) \($0.path): \($0.message)" }
    }
}

@Suite struct ConfigFileTests {
    @Test(
        "BUG-27: a name that became a comment is an error with its line and the advice to quote",
        arguments: [
            ("channels:\n  - #cats\n  - \"#dogs\"", 2, 4), ("name: x\nchannels:", 2, 10),
            ("channels: #cats", 1, 10), ("channels:\n  - ", 2, 4), ("channels:\n  - ~", 2, 5),
        ])
    func commentInsteadOfName(_ text: String, line: Int, column: Int) throws {
        let decoded = try Decoded(text)
        _ = decoded.map.list("channels")
        #expect(decoded.context.faults.count == 1)
        let fault = try #require(decoded.context.faults.first)
        #expect(fault.place == ConfigPlace(line: line, column: column))
        #expect(fault.message.contains("quote"))
        #expect(fault.message.contains("#"))
    }

    @Test("BUG-27: names in brackets that became a comment")
    func commentInBrackets() throws {
        let error = try #require(failure("nick: a\nchannels: [#cats, #dogs]\nport: 1\n"))
        #expect(error.place == ConfigPlace(line: 2, column: 11))
        #expect(error.problem.contains("quote a name that starts with #"))
    }

    @Test("BUG-27: [] means that none is wanted; names are used as written")
    func names() throws {
        let none = try Decoded("channels: []")
        #expect(none.map.texts("channels") == [])
        #expect(none.faults.isEmpty)
        let some = try Decoded("channels: [\"##cats\", '&local', +x, \"#dogs\"]")
        #expect(some.map.texts("channels") == ["##cats", "&local", "+x", "#dogs"])
        #expect(some.faults.isEmpty)
    }

    @Test("BUG-27: a quoted channel as a key works, an unquoted one is a comment")
    func keys() throws {
        let decoded = try Decoded("\"#cats\": {rating: g}\n#dogs: {rating: g}\n")
        #expect(decoded.map.keys.map(\.name) == ["#cats"])
    }

    @Test(
        "BUG-28: text keeps its exact characters",
        arguments: [
            ("lang: no", "no"), ("lang: on", "on"), ("lang: 0123", "0123"), ("lang: 1e3", "1e3"),
            ("lang: 12345678901234567890", "12345678901234567890"), ("lang: null", "null"), ("lang: ab#cd", "ab#cd"),
            ("lang: '%a:b@c'", "%a:b@c"), ("lang: x@y&z", "x@y&z"), ("lang: '~'", "~"), ("lang: 1_000", "1_000"),
            ("lang: 2026-01-01", "2026-01-01"), ("lang: \" x \"", " x "), ("lang: 0x1F", "0x1F"),
        ])
    func exactText(_ text: String, _ expected: String) throws {
        let decoded = try Decoded(text)
        #expect(decoded.map.text("lang") == expected)
        #expect(decoded.map.secret("lang") == Secret(expected))
        #expect(decoded.faults.isEmpty)
    }

    @Test("BUG-28: nothing or ~ in a required field", arguments: ["nick:", "nick: ~", "nick: # gif", "other: x"])
    func required(_ text: String) throws {
        let decoded = try Decoded(text)
        #expect(decoded.map.requiredText("nick") == nil)
        #expect(decoded.context.faults.count == 1)
        #expect(decoded.faults[0].contains("expected text"))
    }

    @Test("BUG-28: numbers and booleans may be quoted; yes and on are no booleans")
    func quotedNumbers() throws {
        let decoded = try Decoded("port: \"6697\"\ntls: \"true\"\nplain: 6697\nbare: False\nword: yes\nzero: 0667")
        #expect(decoded.map.integer("port", in: 1...65535) == 6697)
        #expect(decoded.map.bool("tls") == true)
        #expect(decoded.map.integer("plain", in: 1...65535) == 6697)
        #expect(decoded.map.bool("bare") == false)
        #expect(decoded.faults.isEmpty)
        #expect(decoded.map.bool("word") == nil)
        #expect(decoded.faults == ["5:7 word: expected true or false"])
    }

    @Test(
        "BUG-28: what is not valid YAML is told with its place and without the value",
        arguments: [
            ("password: hunter: two", 17), ("password: %hunter", 11), ("password: `hunter`", 11),
            ("password: @hunter", 11),
        ])
    func notYAML(_ text: String, column: Int) throws {
        let error = try #require(failure("nick: a\n" + text))
        #expect(error.place == ConfigPlace(line: 2, column: column))
        #expect(error.description.contains("quote"))
        #expect(!error.description.contains("hunter"))
    }

    @Test("BUG-28: a secret before an unquoted # gives a warning that names the key")
    func secretBeforeComment() throws {
        let decoded = try Decoded("password: ab #cd\nother: \"ab #cd\"\nthird: ab#cd")
        #expect(decoded.map.secret("password") == Secret("ab"))
        #expect(decoded.map.secret("other") == Secret("ab #cd"))
        #expect(decoded.map.secret("third") == Secret("ab#cd"))
        #expect(decoded.context.warnings.map(\.path) == ["password"])
        #expect(decoded.context.warnings.map(\.place) == [ConfigPlace(line: 1, column: 11)])
        #expect(!"\(decoded.context.warnings)".contains("ab"))
        #expect(decoded.faults.isEmpty)
    }

    @Test("BUG-28: unknown keys are told with the nearest known name")
    func unknownKeys() throws {
        let decoded = try Decoded("nikc: a\nhost: b\nxyzzy: c")
        _ = decoded.map.text("nick")
        _ = decoded.map.text("host")
        decoded.map.finish()
        #expect(
            decoded.faults == ["1:1 nikc: unknown key; did you mean nick?", "3:1 xyzzy: unknown key"])
    }
}
