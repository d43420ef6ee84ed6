import Base
import Testing
import YAML

@Suite struct YAMLReaderTests {
    @Test(arguments: [
        ("a: b", "{a: b}"), ("a: [x, 'y', \"z\"]", "{a: [x, \"y\", \"z\"]}"),
        ("a:\n  - x\n  -\n  - ~", "{a: [x, ∅, ∅]}"),
        ("a:", "{a: ∅}"), ("a: ''", "{a: \"\"}"), ("a: '~'", "{a: \"~\"}"), ("a: null", "{a: null}"),
        ("a: |\n  x\n  y\n", "{a: \"x\ny\n\"}"), ("a: {b: {c: []}}", "{a: {b: {c: []}}}"), ("x", "x"),
        ("a: x y\n  z", "{a: x y z}"), ("\u{FEFF}a: b", "{a: b}"), ("---\na: b\n...\n", "{a: b}"),
        ("%YAML 1.1\n---\na: b", "{a: b}"), ("a: b\r\nc: d\r\n", "{a: b, c: d}"), ("# only\na: é🐱", "{a: é🐱}"),
        ("true: 1\n1: 2", "{true: 1, 1: 2}"), ("a: \"x\\ny\"", "{a: \"x\ny\"}"),
    ])
    func reads(_ text: String, as expected: String) throws {
        #expect(try tree(parse(text)) == expected)
    }

    @Test(arguments: [
        ("a: b # c", "{a: b;}"), ("a: b#c", "{a: b#c}"), ("a: 'b' # c", "{a: \"b\"}"), ("a: b\t# c", "{a: b;}"),
        ("a: # c", "{a: ∅;}"), ("a: [x, y # c\n  ]", "{a: [x, y;]}"), ("é: 🐱é # c\nb: ü #", "{é: 🐱é;, b: ü;}"),
        ("a: b\n# c", "{a: b}"), ("a: x\n  y # c", "{a: x y;}"), ("a: b\r\n# c\r\nd: e # f", "{a: b, d: e;}"),
        ("\u{FEFF}a: b # c", "{a: b;}"), ("a: b", "{a: b}"), ("a: b ", "{a: b}"),
    ])
    func seesCommentsBehindValues(_ text: String, _ expected: String) throws {
        #expect(try tree(parse(text)) == expected)
    }

    @Test func placesAreCountedFromOne() throws {
        guard case .map(let top) = try parse("# c\nirc:\n  - name: é\n    tls: {verify: no}\n").value,
            case .list(let items) = top[0].value.value, case .map(let network) = items[0].value,
            case .map(let tls) = network[1].value.value
        else {
            Issue.record("not the tree expected")
            return
        }
        #expect(top[0].key.place == ConfigPlace(line: 2, column: 1))
        #expect(items[0].place == ConfigPlace(line: 3, column: 5))
        #expect(network[0].value.place == ConfigPlace(line: 3, column: 11))
        #expect(network[1].value.place == ConfigPlace(line: 4, column: 10))
        #expect(tls[0].key.place == ConfigPlace(line: 4, column: 11))
        #expect(tls[0].value.place == ConfigPlace(line: 4, column: 19))
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: S3CRET", 3, 1, "twice (first on line 1)"), ("a: {b: 1, b: S3CRET}", 1, 11, "twice"),
        ("a: &x S3CRET", 1, 4, "anchors"), ("a: &x {b: S3CRET}", 1, 4, "anchors"), ("a: &x [S3CRET]", 1, 4, "anchors"),
        ("a: *S3CRET", 1, 4, "aliases"), ("*S3CRET : a", 1, 1, "aliases"), ("a: !S3CRET x", 1, 4, "tags"),
        ("a: !!str S3CRET", 1, 4, "tags"), ("a: ! S3CRET", 1, 4, "tags"), ("a: !x [S3CRET]", 1, 4, "tags"),
        ("%TAG !e! tag:e,2000:\n---\na: b", 1, 1, "tags"), ("a: b\n---\nc: S3CRET", 2, 1, "second document"),
        ("? [S3CRET]\n: b", 1, 3, "single text"), ("{a: b}: S3CRET", 1, 1, "single text"),
        (": S3CRET", 1, 1, "indentation"),
        ("~: S3CRET", 1, 1, "nothing in it"), ("a: 'S3CRET\nb: c\n", 3, 1, "quoted"),
        ("a: \"S3CRET\\q\"", 1, 11, "escape"),
        ("a: b\n\tc: S3CRET", 2, 1, "tab"), ("a: S3CRET\n  b: c", 2, 4, "': '"),
        ("a:\n  b: c\n d: S3CRET", 3, 2, "indentation"),
        ("a: b\nc\nd: S3CRET", 3, 1, "':'"), ("a: [b, S3CRET", 1, 4, "[ ]"), ("a: {b: S3CRET\nc: d", 1, 4, "{ }"),
        ("a: b\nc: é\u{1}S3CRET", 2, 5, "control"),
    ])
    func refuses(_ text: String, line: Int, column: Int, _ words: String) throws {
        let error = try #require(failure(text))
        #expect(error.place == ConfigPlace(line: line, column: column), "\(error)")
        #expect(error.description.contains(words), "\(error)")
        #expect(!error.description.contains("S3CRET"))
        #expect(error.fault.place == error.place)
    }

    @Test(arguments: ["", "\n\n", "# nothing\n", "---\n", "~", "\u{FEFF}"])
    func anEmptyFileIsAnError(_ text: String) {
        #expect(failure(text) == YAMLError("the file is empty"))
    }

    @Test(
        arguments: [
            [0x61, 0x3A, 0x20, 0xE9], [0x61, 0x3A, 0x20, 0xC3], [0x61, 0x3A, 0x20, 0xED, 0xA0, 0x80],
            [0xFF, 0xFE, 0x61, 0],
            [0x61, 0x3A, 0x20, 0xC0, 0x80],
        ] as [[UInt8]])
    func refusesWhatIsNotUTF8(_ bytes: [UInt8]) throws {
        let error = try #require(failure(bytes))
        #expect(error.problem == "bytes that are not UTF-8")
        #expect(error.place == ConfigPlace(line: 1, column: bytes[0] == 0xFF ? 1 : 4))
    }

    @Test func boundsOfSizeAndDepth() throws {
        let deep = { (depth: Int) in String(repeating: "[", count: depth) + "x" + String(repeating: "]", count: depth) }
        #expect(failure(deep(49)) == nil)
        #expect(failure(deep(50))?.problem == "nested too deeply")
        #expect(failure(String(repeating: "[", count: 100_000))?.problem == "nested too deeply")
        #expect(failure(String(repeating: "{a: ", count: 10_000))?.problem == "nested too deeply")
        #expect(failure("a: " + String(repeating: "x", count: 1 << 20))?.problem == "the file is larger than 1 MiB")
        #expect(failure("a: " + String(repeating: "x", count: (1 << 20) - 3)) == nil)
    }

    @Test("cut everywhere, it either reads or says where not; nothing else happens")
    func cutEverywhere() {
        let whole = Array(
            "bot: {admins: [\"a/b\"]}\nirc:\n  - name: 'é'\n    channels: [\"#c\", {name: x}] # y\n    key: |\n      k\n"
                .utf8)
        for end in 0..<whole.count {
            _ = failure(Array(whole[..<end]))
            _ = failure(Array(whole[end...]))
            for byte: UInt8 in [0, 0x0A, 0x23, 0x27, 0x3A, 0x5B, 0x7D, 0xC3, 0xFF] {
                var changed = whole
                changed[end] = byte
                _ = failure(changed)
            }
        }
    }
}
