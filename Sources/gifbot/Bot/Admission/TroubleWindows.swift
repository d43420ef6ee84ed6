import Base
import Chat

/// Trouble with the sources is told once a window in each conversation, however many ask.
struct TroubleWindows {
    enum Trouble: Hashable {
        case budgetUsedUp, sourcesDown, badKey, busy
    }

    private struct Name: Hashable {
        let trouble: Trouble
        let conversation: Conversation
    }

    private static let shortest = Duration.seconds(60)
    private static let capacity = 10_000
    private var ends: [Name: Instant] = [:]

    /// True for the first of a window, which it opens. At the bound, ended windows go first, then all: telling once
    /// more is better than keeping a person in the dark.
    mutating func mayTell(
        _ trouble: Trouble, in conversation: Conversation, lasting wait: Duration?, at now: Instant
    ) -> Bool {
        let name = Name(trouble: trouble, conversation: conversation)
        if let end = ends[name], now < end { return false }
        if ends.count >= Self.capacity {
            ends = ends.filter { now < $0.value }
            if ends.count >= Self.capacity { ends.removeAll() }
        }
        ends[name] = now.advanced(by: max(wait ?? Self.shortest, Self.shortest))
        return true
    }
}
