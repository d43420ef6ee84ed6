import JSON
import Testing

struct StringTests {
    @Test(arguments: [
        (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00E9""#, "é"),
        (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00x""#, "😀x"), (#""\u0000""#, "\0"), ("\"é日😀\"", "é日😀"),
        ("\"\u{7F}\"", "\u{7F}"), (#""\uffff\ufffd""#, "\u{FFFF}\u{FFFD}"),
        ("\"12345678é12345678\"", "12345678é12345678"),
    ])
    func isRead(json: String, text: String) throws {
        #expect(try parse(json).string == text)
    }

    @Test(arguments: [
        (#""\x""#, JSONError.Reason.badEscape), (#""\u12g4""#, .badEscape), (#""\U0041""#, .badEscape),
        ("\"a\nb\"", .controlInString), ("\"a\u{0}\"", .controlInString), ("\"0123456789\u{1F}\"", .controlInString),
        (#""\ud800""#, .loneSurrogate), (#""\ud800x""#, .loneSurrogate), (#""\udc00""#, .loneSurrogate),
        (#""\ud800\n""#, .loneSurrogate), (#""\ud800\ud800\udc00""#, .loneSurrogate),
        (#""\udc00\ud800""#, .loneSurrogate),
        (#""\ud800\u0041""#, .loneSurrogate), ("\"", .endsTooSoon), ("\"\\", .endsTooSoon), ("\"\\u00", .endsTooSoon),
        ("'a'", .unexpectedByte),
    ])
    func isRefused(json: String, why: JSONError.Reason) {
        #expect(reason(of: json) == why)
    }

    @Test(arguments: [
        (#""\ud800""#, "\u{FFFD}"), (#""a\udc00b""#, "a\u{FFFD}b"), (#""\ud800\ud83d\ude00""#, "\u{FFFD}😀"),
        (#""\ud800\u0041""#, "\u{FFFD}A"), (#""\ud800\n""#, "\u{FFFD}\n"), (#""\ud83d\ud83d""#, "\u{FFFD}\u{FFFD}"),
    ])
    func loneSurrogatesCanBeReplaced(json: String, text: String) throws {
        #expect(try parse(json, rules: JSONRules(loneSurrogate: .replaced)).string == text)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x98, 0x28],
        ] as [[UInt8]])
    func badUTF8IsRefused(bytes: [UInt8]) {
        let padding = [UInt8](repeating: UInt8(ascii: "a"), count: 9)
        let body = [UInt8(ascii: "\"")] + padding + bytes + padding + [UInt8(ascii: "\"")]
        #expect(reason(of: body) == .badUTF8)
        #expect(skipReason(of: body) == .badUTF8)
    }

    /// A quote, an escape, a control character and a long character at each place of an eight-byte word.
    @Test(arguments: 0..<24) func everyOffsetInAWord(offset: Int) throws {
        let padding = String(repeating: "a", count: offset)
        #expect(try parse("\"\(padding)\"").string == padding)
        #expect(try parse("\"\(padding)\\n\(padding)\"").string == padding + "\n" + padding)
        #expect(try parse("\"\(padding)日\(padding)\"").string == padding + "日" + padding)
        #expect(reason(of: "\"\(padding)\u{1}\(padding)\"") == .controlInString)
    }

    @Test("one other byte anywhere makes another text", arguments: 1...33) func everyByteCounts(length: Int) throws {
        for place in 0..<length {
            var other = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            other[place] = UInt8(ascii: "b")
            let same = String(repeating: "a", count: length)
            let body = Array(#"["\#(same)","\#(same)","\#(String(decoding: other, as: UTF8.self))"]"#.utf8)
            try JSONReader.read(body) { (reader) throws(JSONError) in
                try reader.beginArray()
                var texts: [JSONText] = []
                while try reader.nextElement() { texts.append(try reader.text()) }
                #expect(texts[0].isSpelled(like: texts[1]))
                #expect(!texts[0].isSpelled(like: texts[2]))
            }
        }
    }

    @Test func textIsComparedWhereItLies() throws {
        try JSONReader.read(Array(#"["abc","abc","ab\u0063","12","-7","9223372036854775808","1a",""]"#.utf8)) {
            (reader) throws(JSONError) in
            try reader.beginArray()
            var texts: [JSONText] = []
            while try reader.nextElement() { texts.append(try reader.text()) }
            #expect(texts[0].isSpelled(like: texts[1]))
            #expect(!texts[0].isSpelled(like: texts[2]))
            #expect(texts[0] == "abc")
            #expect(texts[2] == "abc")
            #expect(!(texts[0] == "abd"))
            #expect(texts[3...].map(\.integer) == [12, -7, nil, nil, nil])
            #expect(texts[7].isEmpty)
            #expect(texts[2].bytes == Array("abc".utf8))
            #expect(texts[0].withBytes { Array($0) } == texts[0].bytes && texts[0].mostBytes == 3)
            #expect(texts[2].withBytes { Array($0) } == texts[2].bytes && texts[2].mostBytes >= 3)
            #expect(texts[7].withBytes { $0.isEmpty })
        }
    }
}
