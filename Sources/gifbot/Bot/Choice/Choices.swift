import Base
import Chat

/// A person in a conversation: whose search is paged.
struct Pager: Hashable {
    let conversation: Conversation
    /// `Sender.key`.
    let key: String
}

/// Where a person stands in the search held for them.
struct Choice {
    let search: HeldSearch
    /// `source:id` of the GIF shown last.
    var current: String
    /// Only the asker has seen it.
    var isPreview: Bool
}

/// The last search of each person in each conversation, for 10 minutes after its last use.
///
/// Searches that nobody pages any more, and no answer in the book was found by, go now and then. At the bound those made first are
/// dropped, a tenth of them at a time: their askers have to search again.
@Loop struct Choices {
    static let lifetime = Duration.minutes(10)
    static let capacity = 500
    private static let least = 64

    /// In the order in which they were made.
    private var searches: [HeldSearch] = []
    /// So many before those that nobody holds are looked for.
    private var room = Self.least
    private var byAsker: [Pager: Choice] = [:]

    /// Searches in memory.
    var count: Int { searches.count }

    var isEmpty: Bool { searches.isEmpty && byAsker.isEmpty }

    mutating func choice(of asker: Pager, at now: Instant) -> Choice? {
        guard let choice = byAsker[asker], isHeld(choice.search, at: now) else { return nil }
        return choice
    }

    /// A search that can still be paged; false for one that was dropped or not used for long.
    func isHeld(_ search: HeldSearch, at now: Instant) -> Bool {
        search.last != nil && search.usedAt.advanced(by: Self.lifetime) > now
    }

    /// Notes what a person sees now.
    mutating func set(_ choice: Choice, of asker: Pager, at now: Instant) {
        choice.search.usedAt = now
        if byAsker.updateValue(choice, forKey: asker)?.search !== choice.search { hold(choice.search) }
    }

    mutating func remove(_ asker: Pager) {
        byAsker[asker] = nil
    }

    /// Lets go of what wasn't used for long.
    mutating func expire(at now: Instant) {
        let old = searches.filter { !isHeld($0, at: now) }
        guard !old.isEmpty else { return }
        for search in old { search.drop() }
        forgetDropped()
    }

    private mutating func hold(_ search: HeldSearch) {
        if searches.count >= room { makeRoom() }
        if searches.last !== search { searches.append(search) }
    }

    private mutating func makeRoom() {
        var held: [HeldSearch] = []
        for place in searches.indices where !isKnownUniquelyReferenced(&searches[place]) {
            held.append(searches[place])
        }
        searches = held
        if searches.count >= Self.capacity {
            for search in searches.prefix(Self.capacity / 10) { search.drop() }
            forgetDropped()
        }
        room = min(Self.capacity, max(Self.least, 2 * searches.count))
    }

    private mutating func forgetDropped() {
        searches.removeAll { $0.last == nil }
        byAsker = byAsker.filter { $0.value.search.last != nil }
    }
}
