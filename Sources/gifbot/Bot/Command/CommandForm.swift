import Base

/// What has to stand behind a command's word, and what is then done with it; with anything else there the whole is words to search
/// for.
enum CommandForm: Sendable {
    typealias Work<Argument> = @Loop @Sendable (_ bot: Bot, _ request: Request, _ argument: Argument) -> Void

    /// Nothing.
    case alone(@Loop @Sendable (_ bot: Bot, _ request: Request) -> Void)
    /// Words, with options before them.
    case words(Work<SearchArgument>)
    /// The same, or nothing.
    case optionalWords(Work<SearchArgument>)
    /// The name of a saved GIF, with or without colons.
    case name(Work<String>)
    /// The word of another command, or nothing.
    case commandWord(Work<String>)
    /// Anything, as it was typed, letter case included; the command reads it itself.
    case rest(Work<String>)
    /// No word: `#` and a number.
    case number(Work<Int>)
    /// No word: a name between colons.
    case namedGif(Work<String>)

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
    var takesOptions: Bool {
        switch self {
        case .words, .optionalWords: true
        case .alone, .name, .commandWord, .rest, .number, .namedGif: false
        }
    }

    @Loop func perform(_ bot: Bot, _ request: Request, _ argument: CommandArgument) {
        switch (self, argument) {
        case (.words(let work), .search(let words)), (.optionalWords(let work), .search(let words)):
            work(bot, request, words)
        case (.alone(let work), .none): work(bot, request)
        case (.name(let work), .text(let text)), (.commandWord(let work), .text(let text)),
            (.rest(let work), .text(let text)), (.namedGif(let work), .text(let text)):
            work(bot, request, text)
        case (.number(let work), .number(let number)): work(bot, request, number)
        default: preconditionFailure("the reader gives each form an argument of its kind")
        }
    }
}
