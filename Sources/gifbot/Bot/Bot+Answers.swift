import Base
import Chat
import GiphySearch

extension Bot {
    /// Puts a GIF into the conversation, and notes what stands there now.
    func post(_ picked: PickedGif, of search: HeldSearch?, _ request: Request) {
        guard let line = line(for: picked, request, room: 0) else { return result(Sentences.tooLong, request) }
        let media =
            request.adapter.showsMedia
            ? ReplyMedia(picked, for: request.channel.settings, under: self.search.policy(of: picked.gif.source)) : nil
        let reply = Reply(
            kind: .answer, audience: .conversation, text: line.text, url: line.url, id: request.id, media: media)
        guard deliver(reply, request) else { return }
        let id = picked.gif.qualifiedID
        let now = clock.now
        counts.answers += 1
        store.record(shown: id, in: request.conversation, at: clock.wall)
        book.note(
            AnswerRecord(
                id: request.id, asker: request.person, text: textNow(of: request), at: now, isAnswered: true,
                gif: picked.gif, shown: id, search: search),
            in: request.conversation)
        if let search { choose(Choice(search: search, current: id, isPreview: false), request) }
    }

    /// Shows a GIF to the asker alone.
    func preview(_ picked: PickedGif, of search: HeldSearch, _ request: Request) {
        guard let line = line(for: picked, request, room: Sentences.preview.utf8.count) else {
            return hint(Sentences.tooLong, request)
        }
        let reply = Reply(
            kind: .answer, audience: .asker, text: Sentences.preview + line.text, url: line.url)
        switch request.adapter.send(reply, to: request.message) {
        case .accepted:
            choose(Choice(search: search, current: picked.gif.qualifiedID, isPreview: true), request)
        case .refused(let reason):
            notSent(reason, request)
            hint(Sentences.noPrivateTalk, request)
        }
    }

    /// `room`: bytes that something else takes of the line.
    private func line(for picked: PickedGif, _ request: Request, room: Int) -> ReplyComposer.Line? {
        ReplyComposer.line(
            for: picked.gif, picked.rendition, template: request.channel.settings.template,
            budget: request.adapter.textBudget(for: request.message) - room)
    }

    /// Notes where the asker stands now. What isn't used for long is let go, without anybody asking.
    func choose(_ choice: Choice, _ request: Request) {
        choices.set(choice, of: Pager(conversation: request.conversation, key: request.person), at: clock.now)
        guard !isExpiring else { return }
        isExpiring = true
        expireLater()
    }

    private func expireLater() {
        _ = clock.schedule(at: clock.now.advanced(by: Choices.lifetime)) { [weak self] in
            guard let self else { return }
            choices.expire(at: clock.now)
            isExpiring = !choices.isEmpty
            if isExpiring { expireLater() }
        }
    }

    /// The text that the answer is of: a reaction has none of its own.
    private func textNow(of request: Request) -> String {
        guard request.isRevision, request.message.text.isEmpty else { return request.message.text }
        return book[request.id, in: request.conversation]?.text ?? ""
    }
}
