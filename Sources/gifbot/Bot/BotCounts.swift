/// What the bot did since its start, for the log and a status line.
public struct BotCounts: Equatable, Sendable {
    public var commands = 0
    public var answers = 0
    /// Commands that had to wait for a source, each a task; one that is answered from a page held is none.
    public var waits = 0
    /// The longest that one of them took, from when it came to when all was said.
    public var longestWait = Duration.zero
    public var refusals = 0
    /// Commands that found 256 others in progress.
    public var shed = 0
    /// Lines not said, because they would have been too many.
    public var silenced = 0
    /// Answers that the adapter didn't take.
    public var notSent = 0

    public init() {}
}
