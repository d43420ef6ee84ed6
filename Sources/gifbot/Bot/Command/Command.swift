import GiphySearch

/// What a message asks of the bot.
enum Command: Equatable, Sendable {
    case search(SearchCommand)
    /// One of the table's commands, with what stood behind its word.
    case named(CommandEntry, SearchCommand)
    /// The command word with nothing to search for.
    case usage
    /// An option that is known, with a value that isn't.
    case wrongOption(CommandOption)
}

/// The words of a command and the options before them. For a command of the table that takes a name, a number or a text of its
/// own, that is what `words` or `position` hold.
struct SearchCommand: Equatable, Sendable {
    /// Lower case, single spaces, at most `CommandParser.longestQuery` bytes; empty only where the command needs none.
    var words: String
    /// Which of the results, counted from 1; nil is the bot's choice.
    var position: Int?
    /// The user's ceiling; it lowers the channel's and never raises it.
    var rating: Rating?
    var language: String?
}
