extension CommandEntry {
    static let next = CommandEntry(
        "next", cost: CommandTable.turnCost, does: "the next result of your last search here",
        .alone { bot, request in bot.turn(.next, request) })
}
