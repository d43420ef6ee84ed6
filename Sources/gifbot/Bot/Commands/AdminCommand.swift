extension CommandEntry {
    static let admin = CommandEntry(
        "admin", does: "settings of this channel, for its operators",
        .rest { bot, request, text in bot.administer(text, request) })
}
