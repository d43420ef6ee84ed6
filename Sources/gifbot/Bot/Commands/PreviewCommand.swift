extension CommandEntry {
    static let preview = CommandEntry(
        "preview", cost: CommandTable.searchCost, does: "a GIF for your eyes alone; then send, next or cancel",
        .words { bot, request, argument in bot.find(Wish(argument: argument, isPreview: true), request) })
}
