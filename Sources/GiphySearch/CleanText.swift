/// Text from people and from sources, fit for one line of chat: no control characters, no formatting codes of IRC, nothing
/// that changes the direction of writing or hides, single spaces, nothing at the ends.
func cleanLine(_ text: String, maximumScalars: Int) -> String {
    if isCleanASCII(text), text.utf8.count <= maximumScalars { return text }
    var out = String.UnicodeScalarView()
    var count = 0
    var owesSpace = false
    var scalars = FormattingStripper(text.unicodeScalars)
    while let scalar = scalars.next() {
        if scalar.properties.isWhitespace || scalar.isOtherControl {
            owesSpace = count > 0
            continue
        }
        if scalar.isInvisibleMark { continue }
        guard count + (owesSpace ? 2 : 1) <= maximumScalars else { break }
        if owesSpace {
            out.append(" ")
            count += 1
            owesSpace = false
        }
        out.append(scalar)
        count += 1
    }
    return String(out)
}

/// Most titles and queries are this already.
private func isCleanASCII(_ text: String) -> Bool {
    var previous = UInt8(ascii: " ")
    for byte in text.utf8 {
        guard byte >= 0x20, byte < 0x7F, byte != 0x20 || previous != 0x20 else { return false }
        previous = byte
    }
    return previous != 0x20 || text.isEmpty
}

extension Unicode.Scalar {
    /// C0, DEL and C1, as far as they aren't formatting codes.
    fileprivate var isOtherControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value)
    }

    /// Marks of direction (UAX #9) and what is invisible without joining anything. U+200D stays: emoji need it.
    fileprivate var isInvisibleMark: Bool {
        switch value {
        case 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }
}

/// Leaves out bold, colour and their like, with the numbers that belong to a colour
/// (modern.ircdocs.horse/formatting).
private struct FormattingStripper {
    private var rest: Substring.UnicodeScalarView

    init(_ scalars: String.UnicodeScalarView) {
        rest = Substring.UnicodeScalarView(scalars)
    }

    mutating func next() -> Unicode.Scalar? {
        while let scalar = rest.popFirst() {
            switch scalar.value {
            case 0x02, 0x0F, 0x11, 0x16, 0x1D, 0x1E, 0x1F: continue
            case 0x03: skipColour { (digits) in digits.take(upTo: 2) { $0.isDigit } }
            case 0x04: skipColour { (digits) in digits.take(exactly: 6) { $0.properties.isASCIIHexDigit } }
            default: return scalar
            }
        }
        return nil
    }

    /// Foreground, and after a comma the background; a comma without one is text.
    private mutating func skipColour(_ number: (inout Substring.UnicodeScalarView) -> Bool) {
        guard number(&rest), rest.first == "," else { return }
        var behind = rest.dropFirst()
        if number(&behind) { rest = behind }
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(value) }
}

extension Substring.UnicodeScalarView {
    fileprivate mutating func take(upTo limit: Int, _ belongs: (Unicode.Scalar) -> Bool) -> Bool {
        let count = prefix(limit).prefix(while: belongs).count
        removeFirst(count)
        return count > 0
    }

    fileprivate mutating func take(exactly count: Int, _ belongs: (Unicode.Scalar) -> Bool) -> Bool {
        guard prefix(count).prefix(while: belongs).count == count else { return false }
        removeFirst(count)
        return true
    }
}
