import Base

extension CommandEntry {
    static let forget = CommandEntry("forget", .name, does: "takes a name out of the collection") {
        bot, request, argument in
        guard bot.mayChangeCollection(request) else { return }
        guard bot.store.forget(saved: argument.words, in: request.conversation) else {
            return bot.hint(Sentences.noSuchName, request)
        }
        bot.afterWriting(request) { isKept in
            bot.hint(Sentences.done(Sentences.forgotten(argument.words), isKept: isKept), request)
        }
    }
}
