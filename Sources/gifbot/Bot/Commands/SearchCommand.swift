extension CommandEntry {
    /// What the command word does with words behind it: not in the table, since it has no word of its own.
    static let search = CommandEntry(
        "", cost: CommandTable.searchCost, does: "a GIF", isSearch: true,
        .words { bot, request, argument in bot.find(Wish(argument: argument), request) })
}
