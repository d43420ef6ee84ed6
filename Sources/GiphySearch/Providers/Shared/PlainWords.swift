extension SearchQuery {
    /// The words with nothing in them that a query language could take for an operator: letters, digits and what joins them.
    /// Colons, quotes, minus signs, wildcards and brackets become spaces, so that no word of a person is more than a word.
    /// Letters are small already, which keeps OR, AND and NOT words too. Empty when nothing is left.
    func plainWords(upTo maximum: Int) -> String {
        var out = ""
        for scalar in words.unicodeScalars {
            if Self.isPlain(scalar) {
                out.unicodeScalars.append(scalar)
            } else if !out.isEmpty, !out.hasSuffix(" ") {
                out.append(" ")
            }
        }
        while out.hasSuffix(" ") { out.removeLast() }
        return SearchQuery(words: out, rating: rating, language: language, kind: kind, mode: mode).words(upTo: maximum)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber, .letterNumber:
            true
        default: false
        }
    }
}
