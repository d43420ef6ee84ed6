import JSON
import Testing

struct NumberTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ] as [(String, Int64)])
    func wholeNumbersAreExact(json: String, value: Int64) throws {
        #expect(try parse(json) == .integer(value))
    }

    @Test(arguments: [
        ("0.5", 0.5), ("-1.25", -1.25), ("1e3", 1000), ("1E+2", 100), ("2.5e-1", 0.25), ("9223372036854775808", 0x1p63),
        ("1.0", 1), ("1e308", 1e308), ("4.9e-324", .leastNonzeroMagnitude), ("1e-400", 0),
    ])
    func othersAreDoubles(json: String, value: Double) throws {
        #expect(try parse(json) == .number(value))
    }

    @Test(arguments: [
        ("01", JSONError.Reason.badNumber), ("-", .endsTooSoon), ("-a", .badNumber), ("1.", .endsTooSoon),
        ("1.x", .badNumber),
        ("1e", .endsTooSoon), ("1e+", .endsTooSoon), ("1ex", .badNumber), ("-01", .badNumber),
        ("1e999", .numberOutOfRange),
        ("+1", .unexpectedByte), (".5", .unexpectedByte), ("NaN", .unexpectedByte), ("Infinity", .unexpectedByte),
        ("0x10", .trailingBytes), ("1_000", .trailingBytes), ("--1", .badNumber),
    ])
    func isRefused(json: String, why: JSONError.Reason) {
        #expect(reason(of: json) == why)
    }

    @Test func lengthIsBounded() {
        #expect(reason(of: String(repeating: "1", count: 128)) == nil)
        #expect(reason(of: String(repeating: "1", count: 129)) == .numberTooLong)
    }

    @Test(arguments: [("480", 480), ("480.0", 480), ("4.8e2", 480), ("-0.0", 0)] as [(String, Int64)])
    func wholeFloatsReadAsIntegers(json: String, value: Int64) throws {
        #expect(try JSONReader.read(Array(json.utf8)) { (reader) throws(JSONError) in try reader.integer() } == value)
        #expect(try parse(json).integer == value)
    }

    @Test(arguments: ["0.5", "1e30", "9223372036854775808", "9007199254740994.0"])
    func othersDont(json: String) throws {
        #expect(throws: JSONError(.numberOutOfRange, at: 0)) {
            try JSONReader.read(Array(json.utf8)) { (reader) throws(JSONError) in try reader.integer() }
        }
        #expect(try parse(json).integer == nil)
        #expect(try parse(json).number != nil)
    }
}
