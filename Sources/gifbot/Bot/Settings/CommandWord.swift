/// What may serve as a command word or as a prefix.
enum CommandWord {
    static func isUsable(_ word: String) -> Bool {
        (1...32).contains(word.utf8.count) && !word.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
            && !word.unicodeScalars.contains { $0.properties.isWhitespace }
    }

    /// No letter or digit in front: the bot's own sentences start with one, so they never start with a prefix.
    static func isUsablePrefix(_ prefix: String) -> Bool {
        guard isUsable(prefix), prefix.utf8.count <= 8, let first = prefix.unicodeScalars.first else { return false }
        return !first.properties.isAlphabetic && first.properties.numericType == nil
    }
}
