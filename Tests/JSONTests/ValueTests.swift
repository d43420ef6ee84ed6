import JSON
import Testing

struct ValueTests {
    @Test func pathsLeadToValuesOrNil() throws {
        let value = try parse(#"{"a":{"b":["x",{"c":true}]},"n":null}"#)
        #expect(value["a"]?["b"]?[0]?.string == "x")
        #expect(value["a"]?["b"]?[1]?["c"]?.bool == true)
        #expect(value["a"]?["b"]?[2] == nil)
        #expect(value["a"]?["b"]?[-1] == nil)
        #expect(value["a"]?["x"]?["c"] == nil)
        #expect(value["n"]?.isNull == true)
        #expect(value["a"]?.string == nil)
        #expect(value["a"]?.array == nil)
    }

    @Test func literalsBuildTrees() throws {
        let value: JSONValue = ["msgtype": "m.notice", "n": 5, "list": [true, "x"], "o": [:]]
        #expect(try value == parse(#"{"o":{},"list":[true,"x"],"n":5,"msgtype":"m.notice"}"#))
    }

    @Test func keysAreBytes() throws {
        let value = try parse("{\"e\u{301}\":1,\"\u{E9}\":2}")
        #expect(value["\u{E9}"]?.integer == 2)
        #expect(value["e\u{301}"]?.integer == 1)
    }

    @Test func membersAreSetReplacedAndRemoved() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = 3
        object["c"] = "x"
        object["b"] = nil
        #expect(object == ["c": "x", "a": 3])
        #expect(object != ["a": 3])
    }
}
