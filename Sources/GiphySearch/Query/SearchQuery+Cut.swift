extension SearchQuery {
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
