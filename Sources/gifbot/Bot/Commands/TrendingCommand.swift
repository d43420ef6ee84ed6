import GiphySearch

extension CommandEntry {
    static let trending = CommandEntry(
        "trending", cost: CommandTable.searchCost, does: "what many look at now", isSearch: true,
        .alone { bot, request in bot.find(Wish(argument: SearchArgument(words: ""), mode: .trending), request) })
}
