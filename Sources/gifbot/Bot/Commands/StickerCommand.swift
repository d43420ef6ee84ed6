import GiphySearch

extension CommandEntry {
    static let sticker = CommandEntry(
        "sticker", .words, cost: CommandTable.searchCost, does: "a sticker", isSearch: true
    ) { bot, request, argument in
        guard request.channel.settings.allowsStickers else {
            bot.giveBack(request)
            return bot.result(Sentences.noStickers, request)
        }
        bot.find(Wish(command: argument, kind: .sticker), request)
    }
}
