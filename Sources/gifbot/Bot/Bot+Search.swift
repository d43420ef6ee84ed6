import Base
import Chat
import GiphySearch
import RateLimiter

/// What is searched for, and how it is shown.
struct Wish {
    var argument: SearchArgument
    var mode = SearchQuery.Mode.search
    var kind = GifKind.gif
    /// Shown to the asker alone, until it is sent.
    var isPreview = false
}

extension Bot {
    /// A page held is answered from at once; else the command waits for the sources as a task.
    func find(_ wish: Wish, _ request: Request) {
        let query = query(for: wish, request.channel.settings)
        guard !request.channel.denies(words: query.words) else { return result(Sentences.nothingSuitable, request) }
        if let page = search.held(query, for: request.asker) { return found(page, wish, query, request) }
        ask(request) {
            await self.search.page(for: query, for: request.asker)
        } use: { page in
            self.found(page, wish, query, request)
        }
    }

    private func query(for wish: Wish, _ settings: ChannelSettings) -> SearchQuery {
        SearchQuery(
            words: wish.argument.words, rating: min(wish.argument.rating ?? settings.rating, settings.rating),
            language: wish.argument.language ?? settings.language, kind: wish.kind, mode: wish.mode)
    }

    private func found(_ page: SearchPage, _ wish: Wish, _ query: SearchQuery, _ request: Request) {
        let suitability = suitability(for: request, ceiling: query.rating)
        do throws(SearchFailure) {
            let picked = try pick(from: page, for: suitability, wish, request)
            let search = HeldSearch(query, page, at: clock.now)
            if wish.isPreview {
                preview(picked, of: search, request)
            } else {
                post(picked, of: search, request)
            }
        } catch {
            if error == .nothingFound, wish.argument.position != nil, !page.gifs.isEmpty {
                result(Sentences.noSuchPosition, request)
            } else {
                failed(error, request)
            }
        }
    }

    /// A function of its own: what the store told is let go of before the store notes what is shown, else it would be copied.
    private func pick(
        from page: SearchPage, for suitability: Suitability, _ wish: Wish, _ request: Request
    ) throws(SearchFailure) -> PickedGif {
        let shown = store.lastShown(in: request.conversation)
        return try GifPicker.pick(from: page, for: suitability, number: wish.argument.position) { shown[$0] }
    }

    /// What a GIF must be to be shown here; a ceiling of the asker's own only lowers the channel's.
    func suitability(for request: Request, ceiling: Rating) -> Suitability {
        var suitability = request.channel.suitability
        suitability.rating = min(ceiling, suitability.rating)
        // A ban counts from when it is said, also for who was waiting by then.
        if request.hand.isInBook {
            let now = inForce.channel(for: request.conversation, record)
            suitability.deniedIDs.formUnion(now.suitability.deniedIDs)
        }
        return suitability
    }

    /// Asks the sources as a task. What comes of it isn't used when nobody waits for it any more.
    func ask<T: Sendable>(
        _ request: Request, _ question: @escaping @Loop @Sendable () async -> Result<T, SearchFailure>,
        use: @escaping @Loop @Sendable (T) -> Void
    ) {
        guard hasRoom(for: request) else { return }
        book.noteWaiting(request, at: clock.now)
        startWaiting(request) {
            let answer = await question()
            // Also to whom nobody answers any more.
            if case .failure(let failure) = answer, failure.isOfSources { self.giveBack(request) }
            guard !request.hand.isWithdrawn else { return }
            switch answer {
            case .success(let value):
                use(value)
                self.noteKeys(request)
            case .failure(let failure): self.failed(failure, request)
            }
        }
    }

    /// For one more that waits; where there is none, that is said.
    func hasRoom(for request: Request) -> Bool {
        if inProgress < Self.capacity { return true }
        counts.shed += 1
        failed(.busy, request)
        return false
    }

    func failed(_ failure: SearchFailure, _ request: Request) {
        if failure.isOfSources { giveBack(request) }
        switch failure {
        case .nothingFound: result(Sentences.nothingFound, request)
        case .nothingFoundBut(let known):
            let fit = known.filter { !request.channel.denies(words: $0) }
            result(Sentences.nothingFound(related: fit), request)
        case .nothingSuitable: result(Sentences.nothingSuitable, request)
        case .notOffered: result(Sentences.notOffered, request)
        case .budgetUsedUp(let wait):
            let sentence = Sentences.budgetUsedUp(returnsIn: wait, wall: clock.wall)
            trouble(.budgetUsedUp, sentence, lasting: wait, request)
        case .sourcesDown(let wait):
            trouble(.sourcesDown, Sentences.sourcesDown(retryIn: wait), lasting: wait, request)
        case .badKey:
            keyRefused(request)
        case .busy:
            trouble(.busy, Sentences.busy, lasting: nil, request)
        }
    }

    /// What is wrong is for the operator, in the log once by search itself, and for a bot admin who is there.
    private func keyRefused(_ request: Request) {
        if keyWasRefused(asking: request) { return }
        let sentence = request.message.sender.isAdmin ? Sentences.keyRefused : Sentences.searchNotAvailable
        trouble(.badKey, sentence, lasting: nil, request)
    }
}

extension SearchFailure {
    /// No fault of the words, so that the command costs nothing.
    fileprivate var isOfSources: Bool {
        switch self {
        case .nothingFound, .nothingFoundBut, .nothingSuitable, .notOffered: false
        case .budgetUsedUp, .sourcesDown, .badKey, .busy: true
        }
    }
}
