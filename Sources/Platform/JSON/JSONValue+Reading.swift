extension JSONValue {
    public init(parsing bytes: [UInt8], rules: JSONRules = JSONRules()) throws(JSONError) {
        self = try JSONReader.read(bytes, rules: rules) { (reader) throws(JSONError) -> JSONValue in
            try reader.value()
        }
    }

    public init(parsing text: String, rules: JSONRules = JSONRules()) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), rules: rules)
    }
}

extension JSONReader {
    /// The next value with all that is in it.
    public mutating func value() throws(JSONError) -> JSONValue {
        switch try peek() {
        case .null:
            try null()
            return .null
        case .bool: return .bool(try bool())
        case .string: return .string(try scanString().string)
        case .number: return try numberValue()
        case .array: return .array(try elements())
        case .object: return .object(try members())
        }
    }

    private mutating func numberValue() throws(JSONError) -> JSONValue {
        let place = position
        let number = try scanNumber()
        if number.isWhole, let whole = number.integer { return .integer(whole) }
        guard let double = number.double else { throw JSONError(.numberOutOfRange, at: place) }
        return .number(double)
    }

    private mutating func elements() throws(JSONError) -> [JSONValue] {
        var out: [JSONValue] = []
        try beginArray()
        while try nextElement() { out.append(try value()) }
        return out
    }

    private mutating func members() throws(JSONError) -> JSONObject {
        var out: [JSONObject.Member] = []
        try beginObject()
        while let key = try nextKey() {
            let name = key.string
            out.append(JSONObject.Member(name, try value()))
        }
        return JSONObject(out)
    }
}
