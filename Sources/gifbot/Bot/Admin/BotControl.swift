public import Base

/// What the bot asks of the program around it, for bot admins.
@Loop public protocol BotControl: AnyObject {
    /// Reads the config again, as a signal would have it; gives one line that says what changed, or what is wrong.
    func reload() async -> String

    /// How each network and account is, in a word or two: `libera online`.
    func networks() -> [String]

    /// `Bot.ignoredByChat` is another now, and adapters have to know.
    func ignoredChanged()
}
