/// What is wrong with a body, or with a value that can't be written. The text never holds what the body said.
public struct JSONError: Error, Equatable, Sendable {
    public enum Reason: String, Sendable {
        case endsTooSoon = "ends too soon"
        case unexpectedByte = "a byte that can't stand here"
        case trailingBytes = "something follows the value"
        case badLiteral = "neither true, false nor null"
        case badNumber = "a malformed number"
        case numberOutOfRange = "a number out of range"
        case numberTooLong = "a number with too many digits"
        case controlInString = "a control character in a string"
        case badEscape = "a malformed escape"
        case loneSurrogate = "half of a surrogate pair"
        case badUTF8 = "not UTF-8"
        case tooDeep = "nested too deep"
        case tooLarge = "more bytes than allowed"
        case wrongType = "a value of another type"
        /// Writing only: canonical JSON has whole numbers alone.
        case fractionInCanonical = "a fractional number in canonical JSON"
    }

    public let reason: Reason
    /// Bytes from the start of the body; of the output when writing.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String { "JSON: \(reason.rawValue) at byte \(offset)" }
}
