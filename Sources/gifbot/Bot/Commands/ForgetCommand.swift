import Base

extension CommandEntry {
    static let forget = CommandEntry(
        "forget", does: "takes a name out of the collection",
        .name { bot, request, name in
            guard bot.mayChangeCollection(request) else { return }
            guard bot.store.forget(saved: name, in: request.conversation) else {
                return bot.hint(Sentences.noSuchName, request)
            }
            bot.afterWriting(request) { isKept in
                bot.hint(Sentences.done(Sentences.forgotten(name), isKept: isKept), request)
            }
        })
}
