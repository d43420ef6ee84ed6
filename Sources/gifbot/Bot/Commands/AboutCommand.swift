extension CommandEntry {
    static let about = CommandEntry(
        "about", does: "credit, version and source",
        .alone { bot, request in bot.hint(Sentences.about(bot.about), request) })
}
