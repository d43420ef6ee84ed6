/// What has to stand behind a command's word; with anything else there the whole is words to search for.
enum CommandForm: Equatable, Sendable {
    /// Nothing.
    case alone
    /// Words, with options before them.
    case words
    /// The same, or nothing.
    case optionalWords
    /// The name of a saved GIF, with or without colons.
    case name
    /// The word of another command, or nothing.
    case commandWord
    /// Anything, as it was typed, letter case included; the command reads it itself.
    case rest
    /// No word: `#` and a number.
    case number
    /// No word: a name between colons.
    case namedGif

    /// What stands behind the word, for help.
    var example: String {
        switch self {
        case .alone, .commandWord, .number, .namedGif: ""
        case .words: "<words>"
        case .optionalWords: "[words]"
        case .name: "<name>"
        case .rest: "\u{2026}"
        }
    }

    /// Options may stand before the word too.
    var takesOptions: Bool { self == .words || self == .optionalWords }
}
