/// A strict pull reader over the bytes of one body (RFC 8259, UTF-8 only): the caller asks for what it knows, and skips the
/// rest without anything being copied. What is skipped is checked as strictly as what is read, but for the size of numbers.
///
///     let title = try JSONReader.read(body) { (reader) throws(JSONError) in
///         var title: String?
///         try reader.beginObject()
///         while let key = try reader.nextKey() {
///             switch key {
///             case "title": title = try reader.stringOrSkip()
///             default: try reader.skip()
///             }
///         }
///         return title
///     }
///
/// After `nextKey` or a true `nextElement` exactly one value has to be read or skipped. Of keys given twice each is
/// delivered, so with plain assignment the last counts, as it does in `JSONValue`.
public struct JSONReader: ~Copyable {
    /// What comes next, told by its first byte.
    public enum Kind: Equatable, Sendable {
        case object, array, string, number, bool, null
    }

    let start: UnsafePointer<UInt8>
    let count: Int
    let rules: JSONRules
    var position = 0
    var depth = 0
    /// Nothing was read yet in the innermost array or object, so no comma is due.
    private var isFirst = false

    /// Reads one value. What the closure leaves unread, or what follows the value, is an error.
    public static func read<Output>(
        _ bytes: [UInt8], rules: JSONRules = JSONRules(),
        _ body: (inout JSONReader) throws(JSONError) -> Output
    ) throws(JSONError) -> Output {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> Output in
            try read(buffer, rules: rules, body)
        }
    }

    public static func read<Output>(
        _ bytes: UnsafeBufferPointer<UInt8>, rules: JSONRules = JSONRules(),
        _ body: (inout JSONReader) throws(JSONError) -> Output
    ) throws(JSONError) -> Output {
        guard bytes.count <= rules.maximumBytes else { throw JSONError(.tooLarge, at: rules.maximumBytes) }
        guard let start = bytes.baseAddress else { throw JSONError(.endsTooSoon, at: 0) }
        var reader = JSONReader(start: start, count: bytes.count, rules: rules)
        let output = try body(&reader)
        reader.skipSpace()
        guard reader.position == reader.count else { throw JSONError(.trailingBytes, at: reader.position) }
        return output
    }

    private init(start: UnsafePointer<UInt8>, count: Int, rules: JSONRules) {
        self.start = start
        self.count = count
        self.rules = rules
    }

    @inline(__always)
    public mutating func peek() throws(JSONError) -> Kind {
        switch try nextByte() {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: throw JSONError(.unexpectedByte, at: position)
        }
    }

    // MARK: Containers

    public mutating func beginObject() throws(JSONError) {
        try expect(.object)
        try enter()
    }

    /// The next key, or nil when the object ends.
    public mutating func nextKey() throws(JSONError) -> JSONText? {
        guard try isThereMore(before: UInt8(ascii: "}")) else { return nil }
        guard try nextByte() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: position) }
        let key = try scanString()
        guard try nextByte() == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: position) }
        position += 1
        return key
    }

    public mutating func beginArray() throws(JSONError) {
        try expect(.array)
        try enter()
    }

    /// True while another element follows; false when the array ends.
    public mutating func nextElement() throws(JSONError) -> Bool {
        try isThereMore(before: UInt8(ascii: "]"))
    }

    private mutating func enter() throws(JSONError) {
        guard depth < rules.maximumDepth else { throw JSONError(.tooDeep, at: position) }
        depth += 1
        position += 1
        isFirst = true
    }

    @inline(__always)
    private mutating func isThereMore(before end: UInt8) throws(JSONError) -> Bool {
        let byte = try nextByte()
        if byte == end {
            position += 1
            depth -= 1
            isFirst = false
            return false
        }
        if isFirst {
            isFirst = false
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: position) }
        position += 1
        // `[1,]` must not pass for an end.
        guard try nextByte() != end else { throw JSONError(.unexpectedByte, at: position) }
        return true
    }

    // MARK: Values

    /// A string where it lies.
    public mutating func text() throws(JSONError) -> JSONText {
        try expect(.string)
        return try scanString()
    }

    public mutating func string() throws(JSONError) -> String {
        try text().string
    }

    public mutating func bool() throws(JSONError) -> Bool {
        try expect(.bool)
        let value = start[position] == UInt8(ascii: "t")
        try scanLiteral(value ? "true" : "false")
        return value
    }

    public mutating func null() throws(JSONError) {
        try expect(.null)
        try scanLiteral("null")
    }

    /// A whole number, exact; `480.0` counts as one, `0.5` and what exceeds 64 bits are errors.
    public mutating func integer() throws(JSONError) -> Int64 {
        try expect(.number)
        let place = position
        guard let value = try scanNumber().integer else { throw JSONError(.numberOutOfRange, at: place) }
        return value
    }

    public mutating func double() throws(JSONError) -> Double {
        try expect(.number)
        let place = position
        guard let value = try scanNumber().double else { throw JSONError(.numberOutOfRange, at: place) }
        return value
    }

    /// Passes over one value of any type.
    public mutating func skip() throws(JSONError) {
        switch try peek() {
        case .string: try skipString()
        case .number: _ = try scanNumber()
        case .bool: _ = try bool()
        case .null: try null()
        case .object:
            try enter()
            while try isThereMore(before: UInt8(ascii: "}")) {
                guard try nextByte() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: position) }
                try skipString()
                guard try nextByte() == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: position) }
                position += 1
                // Most values are texts, for which no call is needed.
                if try nextByte() == UInt8(ascii: "\"") { try skipString() } else { try skip() }
            }
        case .array:
            try enter()
            while try isThereMore(before: UInt8(ascii: "]")) { try skip() }
        }
    }

    private mutating func expect(_ kind: Kind) throws(JSONError) {
        guard try peek() == kind else { throw JSONError(.wrongType, at: position) }
    }
}
