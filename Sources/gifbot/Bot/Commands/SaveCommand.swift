import Base
import Chat
import GiphySearch

extension CommandEntry {
    static let save = CommandEntry(
        "save", does: "keeps the last GIF here under a name",
        .name { bot, request, name in bot.save(as: name, request) })
}

extension Bot {
    fileprivate func save(as name: String, _ request: Request) {
        guard mayChangeCollection(request) else { return }
        guard let gif = book.lastShown(in: request.conversation)?.gif else {
            return hint(Sentences.nothingToSave, request)
        }
        guard store.savedGif(name, in: request.conversation) == nil else { return hint(Sentences.nameTaken, request) }
        let mayKeep = search.policy(of: gif.source)?.mayStoreURLs ?? false
        guard mayKeep || search.findsByID(in: gif.source) else { return hint(Sentences.mayNotBeSaved, request) }
        let saved = SavedGif(
            name: name, source: gif.source, id: gif.id, gif: mayKeep ? gif : nil, by: request.sender.key,
            at: clock.wall)
        guard store.save(saved, in: request.conversation) else { return hint(Sentences.collectionFull, request) }
        afterWriting(request) { isKept in
            self.hint(Sentences.done(Sentences.saved(name), isKept: isKept), request)
        }
    }

    /// Tells who may when the asker may not.
    func mayChangeCollection(_ request: Request) -> Bool {
        switch request.channel.settings.collection {
        case .everyone: return true
        case .operators:
            if request.isByOperator { return true }
            hint(Sentences.onlyOperators, request)
        case .off: hint(Sentences.noCollection, request)
        }
        return false
    }
}
