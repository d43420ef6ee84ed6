import Base
import RateLimiter

/// A command with a word of its own: how it is written, what it costs, what it does. Each has a file in `Commands`.
final class CommandEntry: Sendable {
    /// As it is typed, lower case, at most 15 bytes; a sign such as `#3` for what has no word.
    let name: String
    /// What stands behind its word, and what is done with it when the limits let it pass.
    let form: CommandForm
    /// What it costs on admission.
    let cost: LimitCost
    /// In a few words, for help.
    let does: String
    /// It answers with a GIF of its own words, so that an edit can turn another such command into it.
    let isSearch: Bool

    init(
        _ name: String, cost: LimitCost = .nothing, does: String, isSearch: Bool = false, _ form: CommandForm
    ) {
        self.name = name
        self.form = form
        self.cost = cost
        self.does = does
        self.isSearch = isSearch
    }

    /// As help shows it.
    var usage: String { form.example.isEmpty ? name : name + " " + form.example }
}

extension CommandEntry: Equatable {
    /// Names are unique in the table.
    static func == (a: CommandEntry, b: CommandEntry) -> Bool { a.name == b.name }
}
