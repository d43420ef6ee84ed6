import GiphySearch

extension Bot {
    /// The GIF of a page that this command gets to see here.
    func pick(_ command: SearchCommand, _ request: Request, _ page: SearchPage) throws(SearchFailure) -> PickedGif {
        var suitability = request.channel.suitability
        if let rating = command.rating { suitability.rating = min(rating, suitability.rating) }
        return try GifPicker.pick(from: page, for: suitability, number: command.position) { id in
            store.lastShown(id, in: request.conversation)
        }
    }
}
