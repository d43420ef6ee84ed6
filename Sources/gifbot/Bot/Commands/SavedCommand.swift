extension CommandEntry {
    static let saved = CommandEntry(
        "saved", does: "the names in the collection here",
        .alone { bot, request in
            guard request.channel.settings.collection != .off else {
                return bot.hint(Sentences.noCollection, request)
            }
            bot.hint(Sentences.saved(bot.store.savedNames(in: request.conversation)), request)
        })
}
