import JSON
import Testing

struct GrammarTests {
    @Test(arguments: [
        "null", " true ", "\t\r\n false", "[]", "[ ]", "{}", "{ }", "[1,2]", "[ 1 , 2 ]", #"{"a":1}"#,
        #"{ "a" : 1 , "b" : [] }"#,
        "[[],[]]", #"[{"a":[{}]},null]"#,
    ])
    func isAccepted(json: String) {
        #expect(reason(of: json) == nil)
        #expect(skipReason(of: Array(json.utf8)) == nil)
    }

    @Test(arguments: [
        ("", JSONError.Reason.endsTooSoon), ("  ", .endsTooSoon), ("[1,]", .unexpectedByte), ("[,1]", .unexpectedByte),
        ("[1 2]", .unexpectedByte), ("[1}", .unexpectedByte), ("{]", .unexpectedByte), ("{,}", .unexpectedByte),
        (#"{"a":1,}"#, .unexpectedByte), (#"{"a"}"#, .unexpectedByte), (#"{"a" 1}"#, .unexpectedByte),
        ("{a:1}", .unexpectedByte),
        ("{1:1}", .unexpectedByte), (#"{"a":}"#, .unexpectedByte), ("tru", .endsTooSoon), ("trux", .badLiteral),
        ("nul]", .badLiteral), ("True", .unexpectedByte), ("truee", .trailingBytes), ("[] []", .trailingBytes),
        ("]", .unexpectedByte), ("1 // no", .trailingBytes), ("\u{FEFF}1", .unexpectedByte),
        ("\u{A0}1", .unexpectedByte),
        ("<!doctype html>", .unexpectedByte), ("\u{0B}1", .unexpectedByte), ("[\u{0}]", .unexpectedByte),
    ])
    func isRefused(json: String, why: JSONError.Reason) {
        #expect(reason(of: json) == why)
        #expect(skipReason(of: Array(json.utf8)) == why)
    }

    @Test func theErrorTellsThePlaceAndNotTheText() {
        #expect(throws: JSONError(.unexpectedByte, at: 8)) { try parse(#"{"key": secret}"#) }
        #expect(JSONError(.unexpectedByte, at: 8).description == "JSON: a byte that can't stand here at byte 8")
    }
}
