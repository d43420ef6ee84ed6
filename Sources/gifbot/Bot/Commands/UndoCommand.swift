extension CommandEntry {
    static let undo = CommandEntry("undo", does: "takes your last GIF here back") { bot, request, _ in
        guard let record = bot.answerToUndo(request) else { return bot.hint(Sentences.nothingToUndo, request) }
        bot.takeBack(record, request)
    }
}
