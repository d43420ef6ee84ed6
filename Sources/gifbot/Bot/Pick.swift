import Chat
import GiphySearch

extension Bot {
    /// The GIF of a page that this command gets to see here.
    func pick(_ command: SearchCommand, _ request: Request, _ page: SearchPage) throws(SearchFailure) -> PickedGif {
        var suitability = request.channel.suitability
        if let rating = command.rating { suitability.rating = min(rating, suitability.rating) }
        return try GifPicker.pick(
            from: page, for: suitability,
            // A number asks for the one GIF, shown or not.
            recentlyShown: command.position == nil ? store.shown(in: request.conversation) : [],
            number: command.position)
    }
}
