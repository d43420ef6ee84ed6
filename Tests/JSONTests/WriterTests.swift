import JSON
import Testing

struct WriterTests {
    private func canonical(_ value: JSONValue) throws -> String {
        String(decoding: try JSONWriter.canonical(value), as: UTF8.self)
    }

    /// The examples of the Matrix specification's appendix on canonical JSON, and a few more.
    @Test(arguments: [
        ("{}", "{}"), (#"{ "one": 1, "two": "Two" }"#, #"{"one":1,"two":"Two"}"#),
        (#"{"b":"2","a":"1"}"#, #"{"a":"1","b":"2"}"#),
        (
            #"{"auth":{"success":true,"mxid":"@john.doe:example.com","profile":{"display_name":"John Doe","three_pids":[{"medium":"email","address":"j@example.org"}]}}}"#,
            #"{"auth":{"mxid":"@john.doe:example.com","profile":{"display_name":"John Doe","three_pids":[{"address":"j@example.org","medium":"email"}]},"success":true}}"#
        ),
        (#"{"a":"日本語"}"#, #"{"a":"日本語"}"#), (#"{"本":2,"日":1}"#, #"{"日":1,"本":2}"#), (#"{"a":"\u65E5"}"#, #"{"a":"日"}"#),
        (#"{"a":null}"#, #"{"a":null}"#), (#"{"a":-0,"b":0}"#, #"{"a":0,"b":0}"#),
        (#""\u0000\u001F\u007f\b\f\n\r\t\"\\\/""#, "\"\\u0000\\u001f\u{7F}\\b\\f\\n\\r\\t\\\"\\\\/\""),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"\uffff":1,"\ud83d\ude00":2}"#, "{\"\u{FFFF}\":1,\"😀\":2}"),
        ("[9007199254740991,-9007199254740991]", "[9007199254740991,-9007199254740991]"),
        ("[true,false]", "[true,false]"),
    ])
    func examples(json: String, expected: String) throws {
        #expect(try canonical(parse(json)) == expected)
    }

    @Test(arguments: [JSONValue.number(1), [1, .number(0.5)], ["a": .number(-0.0)]]) func fractionsAreRefused(
        value: JSONValue
    ) {
        let error = #expect(throws: JSONError.self) { try JSONWriter.canonical(value) }
        #expect(error?.reason == .fractionInCanonical)
    }

    @Test(arguments: [1 << 53, -(1 << 53), Int64.max, .min]) func largeNumbersAreRefused(number: Int64) {
        let error = #expect(throws: JSONError.self) { try JSONWriter.canonical(["n": .integer(number)]) }
        #expect(error?.reason == .numberOutOfRange)
    }

    @Test func depthIsBounded() throws {
        var value: JSONValue = 1
        for _ in 0..<128 { value = [value] }
        #expect(try canonical(value).utf8.count == 257)
        let error = #expect(throws: JSONError.self) { try JSONWriter.canonical([value]) }
        #expect(error?.reason == .tooDeep)
    }

    /// Nothing that a person types can leave its string.
    @Test func textCannotBreakOut() throws {
        for scalar in (0..<0x300).compactMap(Unicode.Scalar.init) {
            let text = "\(Character(scalar))\",\"x\":\"\(Character(scalar))"
            let written = try JSONWriter.canonical(["body": .string(text), "\(Character(scalar))": 1])
            #expect(!written.contains { $0 < 0x20 })
            #expect(try JSONValue(parsing: written)["body"]?.string?.utf8.elementsEqual(text.utf8) == true)
        }
    }
}
