import Base
import Chat
import GiphySearch

extension CommandEntry {
    static let list = CommandEntry(
        "list", does: "titles of your last search here, to you alone",
        .alone { bot, request in bot.list(request) })
}

extension Bot {
    private static let listed = 5

    /// The five results around the one shown last.
    fileprivate func list(_ request: Request) {
        guard let choice = heldChoice(request) else { return }
        let (first, gifs) = choice.search.window(
            of: Self.listed, around: choice.current, filter(for: choice.search, request))
        guard !gifs.isEmpty else { return hint(Sentences.nothingSuitable, request) }
        let room = request.adapter.textBudget(for: request.message) / gifs.count
        let line = gifs.enumerated().map { Sentences.listed($1, number: first + $0, room: room) }
        if !whisper(line.joined(separator: Sentences.listSeparator), request) {
            hint(Sentences.noPrivateTalk, request)
        }
    }
}
