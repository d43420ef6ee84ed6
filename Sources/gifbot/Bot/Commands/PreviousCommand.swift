extension CommandEntry {
    static let previous = CommandEntry("prev", cost: CommandTable.turnCost, does: "the result before that") {
        bot, request, _ in
        bot.turn(.previous, request)
    }
}
