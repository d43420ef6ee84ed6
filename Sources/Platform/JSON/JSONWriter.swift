/// Writes Matrix's canonical JSON (Matrix appendices, "Canonical JSON"): keys in code point order and once each, no
/// spaces, the shortest escapes, whole numbers within ±(2^53 − 1) alone. What it writes is JSON for anyone else too.
public struct JSONWriter {
    private static let maximumDepth = 128
    private static let largest: Int64 = (1 << 53) - 1
    private static let hex = Array("0123456789abcdef".utf8)

    private var out: [UInt8] = []
    private var depth = 0

    private init() {}

    /// Refuses fractions (`fractionInCanonical`), numbers out of range and what is nested too deep.
    public static func canonical(_ value: JSONValue) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.write(value)
        return writer.out
    }

    private mutating func write(_ value: JSONValue) throws(JSONError) {
        switch value {
        case .null: write(literal: "null")
        case .bool(let value): write(literal: value ? "true" : "false")
        case .integer(let value): try write(value)
        case .number: throw JSONError(.fractionInCanonical, at: out.count)
        case .string(let value): write(quoted: value)
        case .array(let elements): try write(elements)
        case .object(let object): try write(object)
        }
    }

    private mutating func write(literal: StaticString) {
        out.append(contentsOf: literal.bytes)
    }

    private mutating func write(_ integer: Int64) throws(JSONError) {
        guard integer.magnitude <= Self.largest else { throw JSONError(.numberOutOfRange, at: out.count) }
        out.append(contentsOf: String(integer).utf8)
    }

    private mutating func write(_ elements: [JSONValue]) throws(JSONError) {
        try enter()
        out.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            try write(element)
        }
        out.append(UInt8(ascii: "]"))
        depth -= 1
    }

    private mutating func write(_ object: JSONObject) throws(JSONError) {
        try enter()
        out.append(UInt8(ascii: "{"))
        for (index, member) in object.canonicalMembers.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            write(quoted: member.key)
            out.append(UInt8(ascii: ":"))
            try write(member.value)
        }
        out.append(UInt8(ascii: "}"))
        depth -= 1
    }

    private mutating func enter() throws(JSONError) {
        guard depth < Self.maximumDepth else { throw JSONError(.tooDeep, at: out.count) }
        depth += 1
    }

    private mutating func write(quoted text: String) {
        out.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): write(literal: "\\\"")
            case UInt8(ascii: "\\"): write(literal: "\\\\")
            case 0x08: write(literal: "\\b")
            case 0x09: write(literal: "\\t")
            case 0x0A: write(literal: "\\n")
            case 0x0C: write(literal: "\\f")
            case 0x0D: write(literal: "\\r")
            case 0..<0x20:
                write(literal: "\\u00")
                out.append(Self.hex[Int(byte >> 4)])
                out.append(Self.hex[Int(byte & 15)])
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }
}
