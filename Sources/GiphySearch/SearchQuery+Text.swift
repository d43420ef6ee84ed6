extension SearchQuery {
    /// Unicode scalars; more words than anybody searches for, and a bound for what the cache holds as a key.
    public static let maximumLength = 100

    /// Makes a query of what somebody typed: formatting and control characters go, any white space becomes one space, letters
    /// become small. Nil when nothing is left.
    public init?(text: String, rating: Rating, language: String, kind: GifKind) {
        let words = cleanLine(text.lowercased(), maximumScalars: Self.maximumLength)
        guard !words.isEmpty else { return nil }
        self.init(words: words, rating: rating, language: language, kind: kind)
    }

    /// The words cut to what a source takes, at the end of a character where one ends in time, and never with a space last.
    func words(upTo maximum: Int) -> String {
        guard words.unicodeScalars.count > maximum else { return words }
        var out = ""
        var count = 0
        for character in words {
            count += character.unicodeScalars.count
            guard count <= maximum else { break }
            out.append(character)
        }
        if out.isEmpty { out.unicodeScalars.append(contentsOf: words.unicodeScalars.prefix(maximum)) }
        while out.hasSuffix(" ") { out.removeLast() }
        return out
    }
}
