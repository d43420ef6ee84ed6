/// Titles and names, which every source hands over clean, made fit for a line that other bots read too.
enum CleanText {
    /// Characters; what is longer gives way even where there is room.
    private static let longest = 200

    /// No mark in front that could call another bot.
    static func title(_ text: String) -> String {
        guard let first = text.utf8.first, isCallingMark(first) else { return shortened(text) }
        return shortened(String(text.drop { $0 == " " || $0.asciiValue.map(isCallingMark) ?? false }))
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longest, text.count > longest else { return text }
        return text.prefix(longest - 1) + "\u{2026}"
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
