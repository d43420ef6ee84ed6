/// For bodies whose fields change type: a value of another type is passed over and reads as nil. Bytes that are no JSON
/// stay errors.
extension JSONReader {
    public mutating func textOrSkip() throws(JSONError) -> JSONText? {
        guard try peek() == .string else { return try skipped() }
        return try scanString()
    }

    public mutating func stringOrSkip() throws(JSONError) -> String? {
        try textOrSkip()?.string
    }

    public mutating func boolOrSkip() throws(JSONError) -> Bool? {
        guard try peek() == .bool else { return try skipped() }
        return try bool()
    }

    /// Nil too for fractions and for what exceeds 64 bits.
    public mutating func integerOrSkip() throws(JSONError) -> Int64? {
        guard try peek() == .number else { return try skipped() }
        return try scanNumber().integer
    }

    /// True when an object was entered; else the value was passed over.
    public mutating func beginObjectOrSkip() throws(JSONError) -> Bool {
        guard try peek() == .object else {
            try skip()
            return false
        }
        try beginObject()
        return true
    }

    /// True when an array was entered; else the value was passed over.
    public mutating func beginArrayOrSkip() throws(JSONError) -> Bool {
        guard try peek() == .array else {
            try skip()
            return false
        }
        try beginArray()
        return true
    }

    private mutating func skipped<Value>() throws(JSONError) -> Value? {
        try skip()
        return nil
    }
}
