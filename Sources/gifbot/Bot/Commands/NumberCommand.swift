extension CommandEntry {
    static let number = CommandEntry(
        "#3", .number, cost: CommandTable.turnCost, does: "the third result of your last search here, and so on"
    ) { bot, request, argument in
        bot.turn(.number(argument.position ?? 1), request)
    }
}
