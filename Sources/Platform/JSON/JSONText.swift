/// A string or key where it lies in the body: comparing and measuring it copies nothing. It is valid only inside the
/// closure of `JSONReader.read`, and must not leave it.
public struct JSONText {
    /// Between the quotes, escapes still in it.
    @usableFromInline let raw: UnsafeBufferPointer<UInt8>
    @usableFromInline let hasEscapes: Bool

    init(raw: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
        self.raw = raw
        self.hasEscapes = hasEscapes
    }

    public var string: String {
        hasEscapes ? String(decoding: unescaped(), as: UTF8.self) : String(decoding: raw, as: UTF8.self)
    }

    /// UTF-8, escapes resolved.
    public var bytes: [UInt8] {
        hasEscapes ? unescaped() : Array(raw)
    }

    public var isEmpty: Bool { raw.isEmpty }

    /// How many bytes it has at most; exact where it has no escapes.
    @inlinable
    public var mostBytes: Int { raw.count }

    /// UTF-8, escapes resolved; where there are none nothing is copied.
    @inlinable
    public func withBytes<Output>(_ body: (UnsafeBufferPointer<UInt8>) -> Output) -> Output {
        hasEscapes ? unescaped().withUnsafeBufferPointer(body) : body(raw)
    }

    /// True when both are spelled with the same bytes; then they are the same text. (Two spellings of one text are not
    /// noticed, which is right for finding repeats cheaply.)
    public func isSpelled(like other: JSONText) -> Bool {
        raw.count == other.raw.count && isSame(raw, other.raw)
    }

    /// Decimal digits alone, optionally with a minus: services send numbers as text too.
    public var integer: Int64? {
        Int64(decimal: raw)
    }

    /// Compares UTF-8 with UTF-8: `é` in two spellings is two keys.
    @inlinable
    public static func == (text: JSONText, word: StaticString) -> Bool {
        // Most keys differ in length from what they are compared with, which is told without a call.
        guard text.hasEscapes || text.raw.count == word.utf8CodeUnitCount else { return false }
        // Most others differ in the first byte.
        if !text.hasEscapes, text.raw.count > 0, text.raw[0] != word.utf8Start[0] { return false }
        return text.isSpelled(like: word)
    }

    /// Lets keys stand in a `switch`.
    @inlinable
    public static func ~= (word: StaticString, text: JSONText) -> Bool {
        text == word
    }

    @usableFromInline
    func isSpelled(like word: StaticString) -> Bool {
        guard !hasEscapes else { return unescaped().elementsEqual(word.bytes) }
        return isSame(raw, word.bytes)
    }

    /// The reader has checked every escape, so none can fail here.
    @usableFromInline
    func unescaped() -> [UInt8] {
        // An escape is never shorter than what it stands for.
        [UInt8](unsafeUninitializedCapacity: raw.count) { out, count in count = unescape(into: out) }
    }

    private func unescape(into out: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var filled = 0
        func append(_ byte: UInt8) {
            out[filled] = byte
            filled += 1
        }
        func append(_ piece: Slice<UnsafeBufferPointer<UInt8>>) {
            filled = out[filled...].initialize(fromContentsOf: piece)
        }
        var index = 0
        var plain = 0
        while index < raw.count {
            guard raw[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            append(raw[plain..<index])
            let letter = raw[index + 1]
            index += 2
            if letter == UInt8(ascii: "u") {
                for byte in UTF8.encode(unicodeEscape(at: &index))! { append(byte) }
            } else {
                append(meaning(ofEscape: letter))
            }
            plain = index
        }
        append(raw[plain...])
        return filled
    }

    private func unicodeEscape(at index: inout Int) -> Unicode.Scalar {
        let unit = UInt32(hexUnit(raw, at: index))
        index += 4
        var scalar = Unicode.Scalar(unit)
        if unit & 0xFC00 == 0xD800, index + 6 <= raw.count, raw[index] == UInt8(ascii: "\\"),
            raw[index + 1] == UInt8(ascii: "u")
        {
            let low = UInt32(hexUnit(raw, at: index + 2))
            if low & 0xFC00 == 0xDC00 {
                scalar = Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF))
                index += 6
            }
        }
        return scalar ?? "\u{FFFD}"
    }
}

private func meaning(ofEscape letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
}

/// Four hexadecimal digits known to be there.
private func hexUnit(_ raw: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16 {
    (0..<4).reduce(0) { $0 << 4 | UInt16(hexDigit(raw[index + $1]) ?? 0) }
}

func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// Of two texts of the same length. Eight bytes at once; the last eight may overlap those before.
private func isSame(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = a.count
    guard count >= 8 else {
        for index in 0..<count where a[index] != b[index] { return false }
        return true
    }
    let (a, b) = (UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
    func differ(at place: Int) -> Bool {
        a.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            != b.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }
    var place = 0
    while place + 8 < count {
        if differ(at: place) { return false }
        place += 8
    }
    return !differ(at: count - 8)
}

extension StaticString {
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

extension Int64 {
    /// `-?[0-9]+`, exact or nil.
    init?(decimal digits: UnsafeBufferPointer<UInt8>) {
        let isNegative = digits.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard digits.count > start else { return nil }
        // So many digits always fit.
        let fitting = Swift.min(digits.count, start + 18)
        var value: Int64 = 0
        for index in start..<fitting {
            let digit = digits[index] &- 0x30
            guard digit < 10 else { return nil }
            // Built downwards, since the smallest number has no positive twin.
            value = value &* 10 &- Int64(digit)
        }
        for index in fitting..<digits.count {
            let digit = digits[index] &- 0x30
            let (scaled, overflows) = value.multipliedReportingOverflow(by: 10)
            let (next, overflowsToo) = scaled.subtractingReportingOverflow(Int64(digit))
            guard digit < 10, !overflows, !overflowsToo else { return nil }
            value = next
        }
        if isNegative {
            self = value
        } else {
            guard value != .min else { return nil }
            self = -value
        }
    }
}
