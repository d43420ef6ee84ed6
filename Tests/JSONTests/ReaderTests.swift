import JSON
import Testing

struct ReaderTests {
    @Test func onlyWhatIsAskedForIsRead() throws {
        let body = Array(#"{"skip":{"title":"no"},"title":"yes","n":"42","more":[1,{"title":"no"}]}"#.utf8)
        let found = try JSONReader.read(body) { (reader) throws(JSONError) in
            var title = ""
            var number: Int64?
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key {
                case "title": title = try reader.string()
                case "n": number = try reader.text().integer
                default: try reader.skip()
                }
            }
            return (title, number)
        }
        #expect(found.0 == "yes")
        #expect(found.1 == 42)
    }

    @Test func keysAreComparedWithoutTheirEscapes() throws {
        let isSame = try JSONReader.read(Array(#"{"\u0074itle":1}"#.utf8)) { (reader) throws(JSONError) in
            try reader.beginObject()
            let isTitle = try reader.nextKey().map { $0 == "title" }
            try reader.skip()
            _ = try reader.nextKey()
            return isTitle
        }
        #expect(isSame == true)
    }

    @Test func ofRepeatedKeysTheLastCounts() throws {
        #expect(try parse(#"{"a":1,"a":2}"#)["a"]?.integer == 2)
    }

    @Test func anotherTypeReadsAsNilAndIsPassedOver() throws {
        let body = Array(#"[1, "x", [2], {"y":3}, null, true, 7, 1.5]"#.utf8)
        try JSONReader.read(body) { (reader) throws(JSONError) in
            try reader.beginArray()
            var strings: [String?] = []
            for _ in 0..<3 {
                _ = try reader.nextElement()
                strings.append(try reader.stringOrSkip())
            }
            #expect(strings == [nil, "x", nil])
            _ = try reader.nextElement()
            #expect(try reader.integerOrSkip() == nil)
            _ = try reader.nextElement()
            #expect(try !reader.beginObjectOrSkip())
            _ = try reader.nextElement()
            #expect(try reader.boolOrSkip() == true)
            _ = try reader.nextElement()
            #expect(try reader.integerOrSkip() == 7)
            _ = try reader.nextElement()
            #expect(try reader.integerOrSkip() == nil)
            #expect(try !reader.nextElement())
        }
    }

    @Test func askingForAnotherTypeIsAnError() {
        let body = Array("[1]".utf8)
        #expect(throws: JSONError(.wrongType, at: 0)) {
            try JSONReader.read(body) { (reader) throws(JSONError) in try reader.beginObject() }
        }
        #expect(throws: JSONError(.wrongType, at: 0)) {
            try JSONReader.read(body) { (reader) throws(JSONError) in _ = try reader.string() }
        }
    }

    @Test func aValueLeftUnreadIsAnError() {
        #expect(throws: JSONError(.trailingBytes, at: 1)) {
            try JSONReader.read(Array("[1]".utf8)) { (reader) throws(JSONError) in try reader.beginArray() }
        }
        #expect(throws: JSONError(.trailingBytes, at: 0)) {
            try JSONReader.read(Array("1".utf8)) { (_) throws(JSONError) in }
        }
    }

    @Test func depthIsBounded() {
        let rules = JSONRules(maximumDepth: 3)
        #expect(reason(of: "[[[1]]]", rules: rules) == nil)
        #expect(reason(of: "[[[[1]]]]", rules: rules) == .tooDeep)
        #expect(reason(of: #"{"a":{"a":{"a":[]}}}"#, rules: rules) == .tooDeep)
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(reason(of: deep) == .tooDeep)
        #expect(skipReason(of: deep) == .tooDeep)
    }

    @Test func widthIsNotDepth() {
        #expect(reason(of: "[" + Array(repeating: "[]", count: 10_000).joined(separator: ",") + "]") == nil)
    }

    @Test func sizeIsBounded() {
        #expect(reason(of: "[1,2,3]", rules: JSONRules(maximumBytes: 7)) == nil)
        #expect(reason(of: "[1,2,3]", rules: JSONRules(maximumBytes: 6)) == .tooLarge)
    }

    @Test func cutAnywhereItEndsTooSoon() throws {
        let bytes = Array(sampleDocument.utf8)
        _ = try JSONValue(parsing: bytes)
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            #expect(reason(of: cut) == .endsTooSoon, "cut at \(length)")
            #expect(skipReason(of: cut) == .endsTooSoon, "cut at \(length)")
        }
    }

    /// Each byte replaced by each of a few others: never a crash, and skipping judges as reading does.
    @Test func readingAndSkippingAgreeOnGarbage() {
        let bytes = Array(sampleDocument.utf8)
        let others: [UInt8] = [
            0x00, 0x1F, 0x20, 0x22, 0x2C, 0x30, 0x5B, 0x5C, 0x5D, 0x7D, 0x75, 0x80, 0xC0, 0xED, 0xFF,
        ]
        for index in bytes.indices {
            for other in others {
                var garbled = bytes
                garbled[index] = other
                #expect(reason(of: garbled) == skipReason(of: garbled), "\(other) at \(index)")
            }
        }
    }
}
