import Chat
import Matrix

/// What stands behind an event in the outbox whose content is made when its turn comes: by then it may have been changed, and
/// what it changes has an id.
struct Letter {
    enum Act: Equatable {
        case say
        /// Puts the content in the place of an answer.
        case edit
        case redact
        case mark(String)
    }

    let act: Act
    /// The answer that it makes, changes, or takes back.
    let answer: String
    var content: ReplyContent
    /// To be uploaded first; nil when there is none, or when that is done.
    var media: ReplyMedia?
}
