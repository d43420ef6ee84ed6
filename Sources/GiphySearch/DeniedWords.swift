/// Words that must stand in no title and no query, however they are spelled: in capitals, with invisible characters inside,
/// full-width or ornamental letters, and Cyrillic or Greek ones among Latin ones. A word of plain Latin letters is found under
/// accents too, since sources find it so; one with accents is found as it is.
struct DeniedWords {
    private let words: [String]
    private let plainWords: [String]

    init(_ words: [String]) {
        let lines = words.map { wordLine($0) }.filter { $0.utf8.count > 2 }
        self.words = lines.filter { !$0.utf8.allSatisfy { $0 < 0x80 } }
        plainWords = lines.filter { $0.utf8.allSatisfy { $0 < 0x80 } }
    }

    var isEmpty: Bool { words.isEmpty && plainWords.isEmpty }

    func isAnyIn(_ text: String) -> Bool {
        if !words.isEmpty {
            let line = wordLine(text)
            if words.contains(where: { line.contains($0) }) { return true }
        }
        guard !plainWords.isEmpty else { return false }
        let line = wordLine(text.utf8.allSatisfy { $0 < 0x80 } ? text : plainLetters(of: text))
        return plainWords.contains { line.contains($0) }
    }
}

/// The words alone, in small letters, each with a space on both sides: so that a search for ` cat ` finds the word and not a part
/// of another.
private func wordLine(_ text: String) -> String {
    var out = " "
    for scalar in text.lowercased().unicodeScalars {
        let properties = scalar.properties
        let belongs =
            properties.isAlphabetic || properties.numericType != nil || properties.generalCategory == .nonspacingMark
        if belongs, !properties.isDefaultIgnorableCodePoint {
            out.unicodeScalars.append(scalar)
        } else if !properties.isDefaultIgnorableCodePoint, out.unicodeScalars.last != " " {
            out.append(" ")
        }
    }
    if out.unicodeScalars.last != " " { out.append(" ") }
    return out
}

/// The text in letters of ASCII as far as they look like them. Marks go.
private func plainLetters(of text: String) -> String {
    var out = String.UnicodeScalarView()
    var word: [Unicode.Scalar] = []
    func endWord() {
        // A word of Cyrillic or Greek letters alone is one of that language.
        let isLatin = word.contains { $0.isASCIILetter }
        out.append(contentsOf: isLatin ? word.map { latinTwins[$0] ?? $0 } : word)
        word.removeAll(keepingCapacity: true)
    }
    for scalar in text.unicodeScalars {
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || properties.generalCategory == .nonspacingMark { continue }
        let plain = scalar.isASCII ? scalar : scalar.latinLetter ?? scalar
        if plain.properties.isAlphabetic {
            word.append(contentsOf: String(plain).lowercased().unicodeScalars)
        } else {
            endWord()
            out.append(plain)
        }
    }
    endWord()
    return String(out)
}

extension Unicode.Scalar {
    fileprivate var isASCIILetter: Bool { isASCII && properties.isAlphabetic }

    /// The Latin letter or the digit that this one is a form of. Told by its name, which Unicode never changes: LATIN SMALL LETTER
    /// E WITH ACUTE, FULLWIDTH LATIN CAPITAL LETTER A, MATHEMATICAL BOLD SMALL N, NEGATIVE CIRCLED DIGIT ONE.
    fileprivate var latinLetter: Unicode.Scalar? {
        guard let name = properties.name else { return nil }
        let words = name.split(separator: " ").prefix { $0 != "WITH" }
        guard words.contains(where: { Self.kinds.contains($0) }), let last = words.last else { return nil }
        if last.utf8.count == 1 { return last.unicodeScalars.first }
        return Self.digits.firstIndex(of: String(last)).flatMap { Unicode.Scalar(UInt8(ascii: "0") + UInt8($0)) }
    }

    private static let kinds: Set<Substring> = [
        "LATIN", "FULLWIDTH", "MATHEMATICAL", "CIRCLED", "PARENTHESIZED", "SQUARED", "SUPERSCRIPT", "SUBSCRIPT",
        "MODIFIER",
        "REGIONAL", "SCRIPT", "DOUBLE-STRUCK", "BLACK-LETTER",
    ]
    private static let digits = [
        "ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE",
    ]
}

/// Cyrillic and Greek small letters that nobody tells from Latin ones (from Unicode's confusables, UTS #39).
private let latinTwins: [Unicode.Scalar: Unicode.Scalar] = [
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "к": "k", "ӏ": "l", "м": "m",
    "н": "h",
    "о": "o", "р": "p", "ԛ": "q", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w", "х": "x", "у": "y",
    "α": "a", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x",
]
