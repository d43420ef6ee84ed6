import Base
import GiphySearch

/// What one search found, held for paging. Shared by the asker's choice and by the answers made of it.
@Loop final class HeldSearch {
    /// Past so many the search counts as at its end.
    private static let mostPages = 10

    let query: SearchQuery
    /// Of all pages so far, none twice.
    private(set) var gifs: [Gif]
    /// The one that the next is asked after; nil once the search was dropped.
    private(set) var last: SearchPage?
    private(set) var pages = 1
    var usedAt: Instant

    init(_ query: SearchQuery, _ page: SearchPage, at now: Instant) {
        self.query = query
        gifs = page.gifs
        last = page
        usedAt = now
    }

    /// Lets go of what it holds: whoever still refers to it finds nothing.
    func drop() {
        gifs = []
        last = nil
    }

    /// Sources' pages overlap now and then. `count`: pages held when it was asked for. When another came meanwhile, this is the
    /// same one again, and the next has to be asked after the one held; pages by chance are always others.
    func append(_ page: SearchPage, askedWith count: Int) {
        guard last != nil else { return }
        let known = Set(gifs.map(\.qualifiedID))
        gifs += page.gifs.filter { !known.contains($0.qualifiedID) }
        guard pages == count || query.mode == .random else { return }
        last = page
        pages += 1
    }

    var mayHaveMore: Bool {
        guard let last, pages < Self.mostPages else { return false }
        return last.continuation != nil || query.mode == .random
    }

    /// The suitable one after, or before, the GIF with that id.
    func neighbour(of id: String, isNext: Bool, _ filter: SuitabilityFilter) -> PickedGif? {
        guard let place = gifs.firstIndex(where: { $0.qualifiedID == id }) else { return nil }
        let others = isNext ? Array(gifs[(place + 1)...]) : gifs[..<place].reversed()
        return others.lazy.compactMap(filter.pick).first
    }

    /// The suitable one at a place, counted from 1.
    func gif(number: Int, _ filter: SuitabilityFilter) -> PickedGif? {
        gifs.lazy.compactMap(filter.pick).dropFirst(number - 1).first
    }

    /// Up to `count` suitable ones around the GIF with that id, with the place of the first: those of its window.
    func window(of count: Int, around id: String, _ filter: SuitabilityFilter) -> (first: Int, gifs: [PickedGif]) {
        var first = 1
        var window: [PickedGif] = []
        var isFound = false
        for gif in gifs {
            guard let picked = filter.pick(gif) else { continue }
            if window.count == count {
                if isFound { break }
                first += count
                window = []
            }
            window.append(picked)
            if gif.qualifiedID == id { isFound = true }
        }
        return (first, window)
    }
}
