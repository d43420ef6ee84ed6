import JSON

/// A small generator with a seed, so that a failure can be had again.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

func parse(_ text: String, rules: JSONRules = JSONRules()) throws(JSONError) -> JSONValue {
    try JSONValue(parsing: text, rules: rules)
}

func reason(of bytes: [UInt8], rules: JSONRules = JSONRules()) -> JSONError.Reason? {
    do throws(JSONError) {
        _ = try JSONValue(parsing: bytes, rules: rules)
        return nil
    } catch {
        return error.reason
    }
}

func reason(of text: String, rules: JSONRules = JSONRules()) -> JSONError.Reason? {
    reason(of: Array(text.utf8), rules: rules)
}

/// What skipping says of a body; it has to agree with reading.
func skipReason(of bytes: [UInt8], rules: JSONRules = JSONRules()) -> JSONError.Reason? {
    do throws(JSONError) {
        try JSONReader.read(bytes, rules: rules) { (reader) throws(JSONError) in try reader.skip() }
        return nil
    } catch {
        return error.reason
    }
}

let sampleDocument = #"""
    {"a":[1,-2,3.5,1e3,true,false,null],"b":{"c":"tab\tquote\" slash\/ back\\ \u00e9 \ud83d\ude00 é 日本 😀"},
     "":[[],{},[{"x":[]}]] , "long":"abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"}
    """#
