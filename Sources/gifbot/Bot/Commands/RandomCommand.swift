import GiphySearch

extension CommandEntry {
    static let random = CommandEntry(
        "random", .optionalWords, cost: CommandTable.searchCost,
        does: "a GIF by chance, that fits the words if there are any",
        isSearch: true
    ) { bot, request, argument in
        bot.find(Wish(command: argument, mode: .random), request)
    }
}
