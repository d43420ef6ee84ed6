/// What the bot says, before a protocol gives it a shape.
public struct Reply: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// A GIF that was asked for.
        case answer
        /// An error, a refusal, a usage line: told so that no other bot reacts (IRC NOTICE, Matrix m.notice).
        case notice
    }

    public enum Audience: Equatable, Sendable {
        /// Where the command was given.
        case conversation
        /// Only the asker, where the protocol can; else dropped by the adapter.
        case asker
    }

    public let kind: Kind
    public let audience: Audience
    /// One line, fitting the adapter's budget. Control characters are the adapter's business to remove.
    public let text: String
    /// The URL inside `text`, for protocols that can make it a link; it is never cut or altered.
    public let url: String?
    /// Under which the answer can be changed or taken back later; nil for what nobody will want back.
    public let id: AnswerID?
    /// The file to show where the protocol can; else, or when it can't be had, `text` alone is said.
    public let media: ReplyMedia?

    public init(
        kind: Kind, audience: Audience, text: String, url: String?, id: AnswerID? = nil, media: ReplyMedia? = nil
    ) {
        self.kind = kind
        self.audience = audience
        self.text = text
        self.url = url
        self.id = id
        self.media = media
    }
}

public enum SendOutcome: Equatable, Sendable {
    /// Sent, or in the protocol's own bounded queue.
    case accepted
    /// The bot isn't there (any more), may not speak there, or the queue is full. For the log, without secrets.
    case refused(String)
}
