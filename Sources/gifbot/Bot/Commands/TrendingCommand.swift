import GiphySearch

extension CommandEntry {
    static let trending = CommandEntry(
        "trending", cost: CommandTable.searchCost, does: "what many look at now", isSearch: true
    ) { bot, request, argument in
        bot.find(Wish(command: argument, mode: .trending), request)
    }
}
