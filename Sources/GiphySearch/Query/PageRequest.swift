/// One page asked of one source.
public struct PageRequest: Hashable, Sendable {
    public let query: SearchQuery
    /// Where the page begins, as the source named it in `PageContinuation.position`; nil for the first.
    public let position: String?
    /// By whom, for the budget's shares.
    public let asker: Asker
    /// A number by chance, for sources that choose at random themselves. Handed in, so that the same request stays the same.
    public let chance: UInt64

    public init(_ query: SearchQuery, position: String? = nil, asker: Asker = Asker(share: ""), chance: UInt64 = 0) {
        self.query = query
        self.position = position
        self.asker = asker
        self.chance = chance
    }

    /// The position of sources that count results; nil where it is no number from 0 to `limit`.
    func offset(upTo limit: Int) -> Int? {
        guard let position else { return 0 }
        guard position.utf8.count <= 9, let number = Int(position), (0...limit).contains(number) else { return nil }
        return number
    }
}
