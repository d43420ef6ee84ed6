import GiphySearch

/// What a message asks of the bot.
enum Command: Equatable, Sendable {
    case search(SearchArgument)
    /// One of the table's commands, with what stood behind its word.
    case named(CommandEntry, CommandArgument)
    /// The command word with nothing to search for.
    case usage
    /// An option that is known, with a value that isn't.
    case wrongOption(CommandOption)
}

/// What stood behind a command's word, as its form has it.
enum CommandArgument: Equatable, Sendable {
    case none
    case text(String)
    case number(Int)
    case search(SearchArgument)
}

/// The words to search for and the options before them.
struct SearchArgument: Equatable, Sendable {
    /// Lower case, single spaces, at most `CommandParser.longestQuery` bytes; empty only where the command needs none.
    var words: String
    /// Which of the results, counted from 1; nil is the bot's choice.
    var position: Int?
    /// The user's ceiling; it lowers the channel's and never raises it.
    var rating: Rating?
    var language: String?
}
