extension CommandEntry {
    static let undo = CommandEntry(
        "undo", does: "takes your last GIF here back",
        .alone { bot, request in
            guard let record = bot.answerToUndo(request) else { return bot.hint(Sentences.nothingToUndo, request) }
            bot.takeBack(record, request)
        })
}
