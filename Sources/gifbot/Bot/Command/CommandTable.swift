import RateLimiter

/// The commands with a word of their own. Help is made from this table, in its order, and a word that isn't in it is searched for.
///
/// A new command is one more file in `Commands`, with an extension that holds its entry, and one more name here.
enum CommandTable {
    static let all: [CommandEntry] = [
        // Choosing from the page held.
        .next, .previous, .number, .list,
        // Other ways to search.
        .random, .trending, .sticker, .preview, .send, .cancel,
        // The channel's own collection.
        .save, .namedGif, .saved, .forget,
        // Taking back.
        .undo, .ban,
        // What tells, and what admins and operators may: theirs stand before `help`.
        .limits, .about, .admin, .help,
    ]

    /// What every search takes.
    static let searchCost = LimitCost.one
    /// What a page turn takes, and an answer in the place of another.
    static let turnCost = LimitCost.quarter

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// `name`: lower case.
    static func entry(named name: String) -> CommandEntry? {
        byName[name]
    }
}
