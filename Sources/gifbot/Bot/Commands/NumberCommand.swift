extension CommandEntry {
    static let number = CommandEntry(
        "#3", cost: CommandTable.turnCost, does: "the third result of your last search here, and so on",
        .number { bot, request, number in bot.turn(.number(number), request) })
}
