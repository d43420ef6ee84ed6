import GiphySearch

/// stand-in until GifPicker is merged
struct GifChoice {
    let gif: Gif
    let rendition: Rendition
}

extension Bot {
    func pick(_ command: SearchCommand, _ request: Request, _ page: SearchPage) -> Result<GifChoice, SearchFailure> {
        guard !page.gifs.isEmpty else { return .failure(.nothingFound) }
        let shown = store.shown(in: request.conversation)
        let suitable = page.gifs.filter {
            ($0.rating ?? .r) <= min(command.rating ?? .r, request.channel.settings.rating)
        }
        guard let gif = suitable.first(where: { !shown.contains("\($0.source):\($0.id)") }) ?? suitable.first else {
            return .failure(.nothingSuitable)
        }
        return .success(GifChoice(gif: gif, rendition: gif.renditions[0]))
    }
}
