import GiphySearch

/// What a message asks of the bot.
enum Command: Equatable, Sendable {
    case search(SearchCommand)
    /// One of the table's commands, standing alone.
    case named(CommandTable.Entry)
    /// The command word with nothing to search for.
    case usage
    /// An option that is known, with a value that isn't.
    case wrongOption(CommandOption)
}

struct SearchCommand: Equatable, Sendable {
    /// Lower case, single spaces, never empty, at most `CommandParser.longestQuery` bytes.
    var words: String
    /// Which of the results, counted from 1; nil is the bot's choice.
    var position: Int?
    /// The user's ceiling; it lowers the channel's and never raises it.
    var rating: Rating?
    var language: String?
}
