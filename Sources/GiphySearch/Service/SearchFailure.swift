/// Why a search has no GIF. Each has its own sentence in the channel.
public enum SearchFailure: Error, Equatable, Sendable {
    /// The sources answered, and hold nothing for these words.
    case nothingFound
    /// The same, and one of them names words that it knows instead: a few, fit for a line of chat, in no rating.
    case nothingFoundBut(known: [String])
    /// Something was found, and nothing of it suits this channel (rating, denied words or ids).
    case nothingSuitable
    /// No source here knows this kind of search (stickers, trending).
    case notOffered
    /// Every source that could be asked has used up its calls; the first one may be asked again then.
    case budgetUsedUp(returnsIn: Duration)
    /// No source could answer; `retryIn` is nil when nobody knows.
    case sourcesDown(retryIn: Duration?)
    /// The one usable source refuses its key: for the operator's log, a neutral sentence for the channel.
    case badKey
    /// More searches are under way than the program allows.
    case busy
}
