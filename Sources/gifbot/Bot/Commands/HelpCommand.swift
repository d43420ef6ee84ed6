import Chat

extension CommandEntry {
    static let help = CommandEntry("help", .commandWord, does: "this line, or with a command's word what that does") {
        bot, request, argument in
        let call = bot.call(in: request.channel)
        guard let entry = CommandTable.entry(named: argument.words) else {
            bot.hint(Sentences.help(call), request)
            return
        }
        bot.hint(Sentences.help(call, entry), request)
    }
}
