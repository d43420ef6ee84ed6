import Base
import Chat
import GiphySearch

/// A step through the page held.
enum PageTurn: Equatable {
    case next, previous
    case number(Int)
}

extension Bot {
    /// Where the asker stands, or a hint how to get somewhere.
    func heldChoice(_ request: Request) -> Choice? {
        let asker = Pager(conversation: request.conversation, key: request.person)
        if let choice = choices.choice(of: asker, at: clock.now) { return choice }
        giveBack(request)
        hint(Sentences.noSearchHeld(call(in: request.channel)), request)
        return nil
    }

    func turn(_ turn: PageTurn, _ request: Request) {
        guard let choice = heldChoice(request) else { return }
        self.turn(turn, choice, request)
    }

    func turn(_ turn: PageTurn, _ choice: Choice, _ request: Request) {
        let filter = filter(for: choice.search, request)
        switch turn {
        case .next:
            if let picked = choice.search.neighbour(of: choice.current, isNext: true, filter) {
                show(picked, choice, request)
            } else {
                turnPage(choice, request)
            }
        case .previous:
            guard let picked = choice.search.neighbour(of: choice.current, isNext: false, filter) else {
                giveBack(request)
                return result(Sentences.firstResult, request)
            }
            show(picked, choice, request)
        case .number(let number):
            guard let picked = choice.search.gif(number: number, filter) else {
                giveBack(request)
                return result(Sentences.noSuchPosition, request)
            }
            show(picked, choice, request)
        }
    }

    /// Past the end of what is held, and only there, the source is asked for more.
    private func turnPage(_ choice: Choice, _ request: Request) {
        guard choice.search.mayHaveMore, let last = choice.search.last else {
            giveBack(request)
            return result(Sentences.lastResult, request)
        }
        let query = choice.search.query
        let pages = choice.search.pages
        ask(request) {
            let isByChance = query.mode == .random
            let answer =
                isByChance
                ? await self.search.page(for: query, for: request.asker)
                : await self.search.page(after: last, of: query, for: request.asker)
            // The end isn't "nothing found": something was.
            guard case .failure(.nothingFound) = answer else { return answer }
            return .success(SearchPage(gifs: []))
        } use: { page in
            choice.search.append(page, askedWith: pages)
            let now = self.choiceNow(choice, request)
            let filter = self.filter(for: now.search, request)
            if let picked = now.search.neighbour(of: now.current, isNext: true, filter) {
                self.show(picked, now, request)
            } else if now.current != choice.current {
                // Another `next` got the same page, and showed the last of it.
                self.turnPage(now, request)
            } else {
                self.result(page.gifs.isEmpty ? Sentences.lastResult : Sentences.nothingSuitable, request)
            }
        }
    }

    /// Where the asker stands in the same search by now: other steps may have been made while this one waited. A revision goes
    /// by the answer that it changes.
    private func choiceNow(_ choice: Choice, _ request: Request) -> Choice {
        let asker = Pager(conversation: request.conversation, key: request.person)
        guard !request.isRevision, let now = choices.choice(of: asker, at: clock.now), now.search === choice.search
        else { return choice }
        return now
    }

    private func show(_ picked: PickedGif, _ choice: Choice, _ request: Request) {
        if choice.isPreview {
            preview(picked, of: choice.search, request)
        } else {
            post(picked, of: choice.search, request)
        }
    }

    func filter(for search: HeldSearch, _ request: Request) -> SuitabilityFilter {
        SuitabilityFilter(suitability(for: request, ceiling: search.query.rating))
    }
}
