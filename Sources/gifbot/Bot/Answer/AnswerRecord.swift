import Base
import Chat
import GiphySearch

/// What became of one command: for undo and ban, for edits and redactions, for saving and for reactions. Another answer under the
/// same id is another record.
@Loop final class AnswerRecord {
    let id: AnswerID
    /// `Sender.key` of who asked.
    let asker: String
    /// The command as it was typed, to tell an edit that changes something.
    var text: String
    let at: Instant
    /// Work on it that isn't finished; it can be told that nobody waits any more.
    var hand: CommandInHand?
    /// Something of the bot stands in the conversation under this id.
    let isAnswered: Bool
    /// The GIF that stands there, in the latest records alone, and without its page; nil for a notice, and while nothing does.
    var gif: Gif?
    /// `source:id` of that GIF.
    let shown: String?
    /// What it was found by, as long as that is held.
    let search: HeldSearch?

    init(
        id: AnswerID, asker: String, text: String, at: Instant, hand: CommandInHand? = nil, isAnswered: Bool = false,
        gif: Gif? = nil, shown: String? = nil, search: HeldSearch? = nil
    ) {
        self.id = id
        self.asker = asker
        self.text = text
        self.at = at
        self.hand = hand
        self.isAnswered = isAnswered
        self.gif = gif?.alone
        self.shown = shown
        self.search = search
    }
}
