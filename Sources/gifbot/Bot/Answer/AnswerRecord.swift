import Base
import Chat
import GiphySearch

/// What became of one command: for undo and ban, for edits and redactions, for saving and for reactions.
struct AnswerRecord {
    let id: AnswerID
    /// `Sender.key` of who asked.
    let asker: String
    /// The command as it was typed, to tell an edit that changes something.
    var text: String
    var at: Instant
    /// Work on it that isn't finished; it can be told that nobody waits any more.
    var hand: CommandInHand?
    /// Something of the bot stands in the conversation under this id.
    var isAnswered = false
    /// The GIF that stands there, in the latest records alone; nil for a notice, and while nothing does.
    var gif: Gif?
    /// `source:id` of that GIF.
    var shown: String?
    /// What it was found by, as long as that is held.
    var search: HeldSearch?
}
