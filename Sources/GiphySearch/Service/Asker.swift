/// Who asks, as far as search has to know. Nothing of it is part of what an answer is held under.
public struct Asker: Hashable, Sendable {
    /// Stands for all who share one part of a key's budget: a channel, or the private messages of a network together. Only
    /// compared, stored with the calls, and never logged.
    public let share: String
    /// The sources asked here, by name and in this order; those that aren't configured are passed over. Nil: all, in the
    /// configured order.
    public let sources: [String]?

    public init(share: String, sources: [String]? = nil) {
        self.share = share
        self.sources = sources
    }
}
