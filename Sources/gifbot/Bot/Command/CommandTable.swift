import RateLimiter

/// The commands with a word of their own. Help is made from this table, and a word that isn't in it is searched for.
enum CommandTable {
    enum Action: Sendable {
        case help, about, limits
    }

    struct Entry: Equatable, Sendable {
        let name: String
        /// In a few words, for help.
        let does: String
        /// Nothing for what asks no source.
        let cost: LimitCost
        let action: Action
    }

    static let all = [
        Entry(name: "limits", does: "the limits here and what is left", cost: .nothing, action: .limits),
        Entry(name: "about", does: "credit, version and source", cost: .nothing, action: .about),
        Entry(name: "help", does: "this line", cost: .nothing, action: .help),
    ]

    /// What every search takes.
    static let searchCost = LimitCost.one

    static func entry(named name: String) -> Entry? {
        all.first { $0.name == name }
    }
}
