extension CommandEntry {
    static let about = CommandEntry("about", does: "credit, version and source") { bot, request, _ in
        bot.hint(Sentences.about(bot.about), request)
    }
}
