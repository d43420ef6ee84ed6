import Base
import Chat
import GiphySearch

extension CommandEntry {
    static let namedGif = CommandEntry(
        ":name:", cost: CommandTable.searchCost, does: "the GIF kept under that name", isSearch: true,
        .namedGif { bot, request, name in bot.showSaved(name, request) })
}

extension Bot {
    fileprivate func showSaved(_ name: String, _ request: Request) {
        guard request.channel.settings.collection != .off else {
            giveBack(request)
            return result(Sentences.noCollection, request)
        }
        guard let saved = store.savedGif(name, in: request.conversation) else {
            giveBack(request)
            return result(Sentences.noSuchName, request)
        }
        // The rules of its source may have changed since it was saved.
        if let gif = saved.gif, search.policy(of: saved.source)?.mayStoreURLs ?? false {
            return showSaved(gif, request)
        }
        guard search.findsByID(in: saved.source) else {
            giveBack(request)
            return result(Sentences.savedSourceGone, request)
        }
        ask(request) {
            await self.search.gif(
                id: saved.id, of: saved.source, rating: request.channel.settings.rating, for: request.asker)
        } use: { gif in
            self.showSaved(gif, request)
        }
    }

    /// What the channel allows counts now, whatever it was when the GIF was saved.
    private func showSaved(_ gif: Gif, _ request: Request) {
        let suitability = suitability(for: request, ceiling: request.channel.settings.rating)
        guard let picked = SuitabilityFilter(suitability).pick(gif) else {
            return result(Sentences.nothingSuitable, request)
        }
        post(picked, of: nil, request)
    }
}
