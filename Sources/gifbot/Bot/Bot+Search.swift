import Base
import Chat
import GiphySearch
import RateLimiter

extension Bot {
    /// A page held is answered from at once; else the command waits for the sources as a task.
    func search(_ command: SearchCommand, _ request: Request) {
        guard let receipt = admit(request, cost: CommandTable.searchCost) else { return }
        let query = query(for: command, request.channel.settings)
        if let page = search.held(query, for: request.asker) {
            answer(command, request, page, receipt)
            return
        }
        guard inProgress < Self.capacity else {
            counts.shed += 1
            failed(.busy, request, receipt)
            return
        }
        startWaiting(request) {
            switch await self.search.page(for: query, for: request.asker) {
            case .success(let page):
                self.answer(command, request, page, receipt)
                self.noteKeys(request)
            case .failure(let failure): self.failed(failure, request, receipt)
            }
        }
    }

    private func query(for command: SearchCommand, _ settings: ChannelSettings) -> SearchQuery {
        SearchQuery(
            words: command.words, rating: min(command.rating ?? settings.rating, settings.rating),
            language: command.language ?? settings.language, kind: .gif)
    }

    private func answer(_ command: SearchCommand, _ request: Request, _ page: SearchPage, _ receipt: Receipt) {
        do throws(SearchFailure) {
            post(try pick(command, request, page), request)
        } catch {
            if error == .nothingFound, command.position != nil, !page.gifs.isEmpty {
                hint(Sentences.noSuchPosition, request)
            } else {
                failed(error, request, receipt)
            }
        }
    }

    private func post(_ choice: PickedGif, _ request: Request) {
        let budget = request.adapter.textBudget(for: request.message)
        guard
            let line = ReplyComposer.line(
                for: choice.gif, choice.rendition, template: request.channel.settings.template, budget: budget)
        else {
            hint(Sentences.tooLong, request)
            return
        }
        let media = ReplyMedia(
            choice, for: request.channel.settings, under: search.policy(of: choice.gif.source))
        let reply = Reply(
            kind: .answer, audience: .conversation, text: line.text, url: line.url,
            id: request.message.id.map(AnswerID.init), media: media)
        switch request.adapter.send(reply, to: request.message) {
        case .accepted:
            counts.answers += 1
            store.record(shown: choice.gif.qualifiedID, in: request.conversation, at: clock.wall)
        case .refused(let reason): notSent(reason, request)
        }
    }

    private func failed(_ failure: SearchFailure, _ request: Request, _ receipt: Receipt) {
        switch failure {
        case .nothingFound: hint(Sentences.nothingFound, request)
        case .nothingSuitable: hint(Sentences.nothingSuitable, request)
        case .notOffered: hint(Sentences.notOffered, request)
        case .budgetUsedUp(let wait):
            admission.giveBack(receipt, at: clock.now)
            let sentence = Sentences.budgetUsedUp(returnsIn: wait, wall: clock.wall)
            trouble(.budgetUsedUp, sentence, lasting: wait, request)
        case .sourcesDown(let wait):
            admission.giveBack(receipt, at: clock.now)
            trouble(.sourcesDown, Sentences.sourcesDown(retryIn: wait), lasting: wait, request)
        case .badKey:
            admission.giveBack(receipt, at: clock.now)
            keyRefused(request)
        case .busy:
            admission.giveBack(receipt, at: clock.now)
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
