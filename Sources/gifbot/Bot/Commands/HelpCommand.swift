import Chat

extension CommandEntry {
    static let help = CommandEntry(
        "help", does: "this line, or with a command's word what that does",
        .commandWord { bot, request, word in
            let call = bot.call(in: request.channel)
            guard let entry = CommandTable.entry(named: word) else {
                bot.hint(Sentences.help(call), request)
                return
            }
            bot.hint(Sentences.help(call, entry), request)
        })
}
