extension CommandEntry {
    static let preview = CommandEntry(
        "preview", .words, cost: CommandTable.searchCost, does: "a GIF for your eyes alone; then send, next or cancel"
    ) { bot, request, argument in
        bot.find(Wish(command: argument, isPreview: true), request)
    }
}
