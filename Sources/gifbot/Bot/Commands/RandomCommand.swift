import GiphySearch

extension CommandEntry {
    static let random = CommandEntry(
        "random", cost: CommandTable.searchCost,
        does: "a GIF by chance, that fits the words if there are any",
        isSearch: true,
        .optionalWords { bot, request, argument in bot.find(Wish(argument: argument, mode: .random), request) })
}
