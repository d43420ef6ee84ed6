import GiphySearch

extension CommandEntry {
    static let sticker = CommandEntry(
        "sticker", cost: CommandTable.searchCost, does: "a sticker", isSearch: true,
        .words { bot, request, argument in
            guard request.channel.settings.allowsStickers else {
                bot.giveBack(request)
                return bot.result(Sentences.noStickers, request)
            }
            bot.find(Wish(argument: argument, kind: .sticker), request)
        })
}
