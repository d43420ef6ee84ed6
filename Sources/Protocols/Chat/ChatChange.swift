/// What became of an earlier message: of a command, or of the bot's answer to one.
public struct ChatChange: Sendable {
    public enum Kind: Equatable, Sendable {
        /// The asker changed the command's words. They are in `message`, and the message has the command's id.
        case edited
        /// The asker, or somebody in their place, took the command back.
        case redacted
        /// Somebody put a mark on the answer.
        case reacted(Reaction)
    }

    public enum Reaction: Equatable, Sendable {
        case next, previous, undo
    }

    public let kind: Kind
    public let answer: AnswerID
    /// Who did it and where: for `reacted` its id is that of the reaction and its text is empty.
    public let message: ChatMessage

    /// Whether the sender asked for the answer, as far as the adapter knows; it may remember longer than the bot.
    public let isByAsker: Bool?

    /// How long ago the answer was given; nil where the adapter doesn't know.
    public let answerAge: Duration?

    public init(
        kind: Kind, answer: AnswerID, message: ChatMessage, isByAsker: Bool? = nil, answerAge: Duration? = nil
    ) {
        self.kind = kind
        self.answerAge = answerAge
        self.answer = answer
        self.message = message
        self.isByAsker = isByAsker
    }
}
