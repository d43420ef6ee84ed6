/// Text from outside, made fit to stand in a line that many people see.
enum CleanText {
    /// Characters; what is longer gives way even where there is room.
    private static let longest = 200

    /// A title or name: no control or direction marks, single spaces, and no mark in front that could call another bot.
    static func title(_ text: String) -> String {
        shortened(isPlain(text) ? text : cleaned(text))
    }

    /// Most titles are words with single spaces and need no work.
    private static func isPlain(_ text: String) -> Bool {
        var before: Unicode.Scalar = " "
        var isFirst = true
        for scalar in text.unicodeScalars {
            if isSpace(scalar) {
                guard scalar == " ", before != " " else { return false }
            } else if isDropped(scalar) || isFirst && isCallingMark(scalar) {
                return false
            }
            isFirst = false
            before = scalar
        }
        return isFirst || before != " "
    }

    private static func cleaned(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isSpaceDue = false
        for scalar in text.unicodeScalars {
            if isSpace(scalar) {
                isSpaceDue = !result.isEmpty
            } else if !isDropped(scalar), !result.isEmpty || !isCallingMark(scalar) {
                if isSpaceDue { result.append(" ") }
                isSpaceDue = false
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longest, text.count > longest else { return text }
        return text.prefix(longest - 1) + "\u{2026}"
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // What Unicode calls White_Space, and NUL.
        case 0, 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    /// Controls, which also are the formatting codes of IRC, and what turns the direction of the rest of the line.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x61C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF,
            0xFFF9...0xFFFB:
            true
        default: false
        }
    }

    private static func isCallingMark(_ scalar: Unicode.Scalar) -> Bool {
        UInt8(exactly: scalar.value).map(isCallingMark) ?? false
    }

    /// What bots commonly take for a command's prefix.
    private static func isCallingMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "@"),
            UInt8(ascii: "~"), UInt8(ascii: "?"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: ";"), UInt8(ascii: ","),
            UInt8(ascii: ":"), UInt8(ascii: "`"), UInt8(ascii: "^"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "="), UInt8(ascii: "|"):
            true
        default: false
        }
    }
}

/// Cuts between characters as people see them, never inside one.
enum CutText {
    /// At most `budget` bytes; what was cut ends in `…`. Empty when not even one character fits.
    static func fit(_ text: String, budget: Int) -> String {
        if text.utf8.count <= budget { return text }
        var room = budget - "\u{2026}".utf8.count
        var end = text.startIndex
        for index in text.indices {
            room -= text[index].utf8.count
            if room < 0 { break }
            end = text.index(after: index)
        }
        var kept = text[..<end]
        while kept.last == " " { kept.removeLast() }
        return kept.isEmpty ? "" : kept + "\u{2026}"
    }
}
