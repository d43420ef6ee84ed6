extension CommandEntry {
    static let previous = CommandEntry(
        "prev", cost: CommandTable.turnCost, does: "the result before that",
        .alone { bot, request in bot.turn(.previous, request) })
}
