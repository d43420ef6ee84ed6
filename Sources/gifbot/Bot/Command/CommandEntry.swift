import Base
import RateLimiter

/// A command with a word of its own: how it is written, what it costs, what it does. Each has a file in `Commands`.
final class CommandEntry: Sendable {
    typealias Work = @Loop @Sendable (_ bot: Bot, _ request: Request, _ argument: SearchCommand) -> Void

    /// As it is typed, lower case, at most 15 bytes; a sign such as `#3` for what has no word.
    let name: String
    let form: CommandForm
    /// What it costs on admission.
    let cost: LimitCost
    /// In a few words, for help.
    let does: String
    /// It answers with a GIF of its own words, so that an edit can turn another such command into it.
    let isSearch: Bool
    /// Runs when the limits let it pass.
    let work: Work

    init(
        _ name: String, _ form: CommandForm = .alone, cost: LimitCost = .nothing, does: String, isSearch: Bool = false,
        _ work: @escaping Work
    ) {
        self.name = name
        self.form = form
        self.cost = cost
        self.does = does
        self.isSearch = isSearch
        self.work = work
    }

    /// As help shows it.
    var usage: String { form.example.isEmpty ? name : name + " " + form.example }
}

extension CommandEntry: Equatable {
    /// Names are unique in the table.
    static func == (a: CommandEntry, b: CommandEntry) -> Bool { a.name == b.name }
}
