/// What clients put between and around words. Looked up on bytes: in Swift a `Character` is whitespace in ways that
/// IRC doesn't know, and CR+LF is a single one.
enum Spacing {
    /// The length of the white space or control character at `index`, 0 if something else is there.
    ///
    /// Beside ASCII: U+0085, U+00A0 (put in by auto-complete), U+1680, U+2000 to U+200B, U+2028, U+2029, U+202F, U+205F,
    /// U+2060, U+3000 and U+FEFF.
    static func length(in bytes: Span<UInt8>, at index: Int) -> Int {
        let first = bytes[index]
        if first <= 0x20 || first == 0x7F { return 1 }
        guard first >= 0xC2, index + 1 < bytes.count else { return 0 }
        let second = bytes[index + 1]
        if first == 0xC2 { return second == 0xA0 || (0x80...0x9F).contains(second) ? 2 : 0 }
        guard first <= 0xEF, index + 2 < bytes.count else { return 0 }
        let third = bytes[index + 2]
        let isSpace =
            switch (first, second) {
            case (0xE1, 0x9A): third == 0x80
            case (0xE2, 0x80): third <= 0x8B || third == 0xA8 || third == 0xA9 || third == 0xAF
            case (0xE2, 0x81): third == 0x9F || third == 0xA0
            case (0xE3, 0x80): third == 0x80
            case (0xEF, 0xBB): third == 0xBF
            default: false
            }
        return isSpace ? 3 : 0
    }

    /// The length of a mark that only turns the direction of text, 0 if something else is there: U+061C, U+200E,
    /// U+200F, U+202A to U+202E, U+2066 to U+2069.
    static func directionMarkLength(in bytes: Span<UInt8>, at index: Int) -> Int {
        let first = bytes[index]
        guard first == 0xE2 || first == 0xD8, index + 1 < bytes.count else { return 0 }
        let second = bytes[index + 1]
        if first == 0xD8 { return second == 0x9C ? 2 : 0 }
        guard index + 2 < bytes.count else { return 0 }
        let third = bytes[index + 2]
        switch second {
        case 0x80: return third == 0x8E || third == 0x8F || (0xAA...0xAE).contains(third) ? 3 : 0
        case 0x81: return (0xA6...0xA9).contains(third) ? 3 : 0
        default: return 0
        }
    }

    /// The first index from `index` on that is no space; the end if there is none.
    static func skip(in bytes: Span<UInt8>, from index: Int) -> Int {
        var index = index
        while index < bytes.count {
            let length = length(in: bytes, at: index)
            if length == 0 { break }
            index += length
        }
        return index
    }

    /// The end of the word that starts at `index`.
    static func endOfWord(in bytes: Span<UInt8>, from index: Int) -> Int {
        var index = index
        while index < bytes.count, length(in: bytes, at: index) == 0 { index += 1 }
        return index
    }
}

extension UInt8 {
    var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
