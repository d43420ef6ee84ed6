extension CommandEntry {
    static let admin = CommandEntry("admin", .rest, does: "settings of this channel, for its operators") {
        bot, request, argument in
        bot.administer(argument.words, request)
    }
}
