import Base
import Chat
import GiphySearch

extension CommandEntry {
    static let send = CommandEntry(
        "send", cost: CommandTable.turnCost, does: "posts what you previewed",
        .alone { bot, request in bot.send(request) })
}

extension Bot {
    fileprivate func send(_ request: Request) {
        guard let choice = previewed(request) else { return }
        // The channel's rules may have changed since it was previewed.
        guard let gif = choice.search.gifs.first(where: { $0.qualifiedID == choice.current }),
            let picked = filter(for: choice.search, request).pick(gif)
        else { return result(Sentences.nothingSuitable, request) }
        post(picked, of: choice.search, request)
    }

    /// What the asker alone has seen, or a hint that there is nothing.
    func previewed(_ request: Request) -> Choice? {
        let asker = Pager(conversation: request.conversation, key: request.person)
        if let choice = choices.choice(of: asker, at: clock.now), choice.isPreview { return choice }
        giveBack(request)
        hint(Sentences.noPreview(call(in: request.channel)), request)
        return nil
    }
}
