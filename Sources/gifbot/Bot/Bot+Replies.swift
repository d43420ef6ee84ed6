import Base
import Chat
import RateLimiter

extension Bot {
    /// A line that isn't an answer, said to one person a few times a minute at most.
    func hint(_ text: String, _ request: Request) {
        let network = request.conversation.network
        if hints.mayTell(request.message.sender, on: network, at: clock.now) {
            notice(text, request)
        } else {
            counts.silenced += 1
        }
    }

    /// Told once a window, to the asker alone where the protocol can.
    func tell(_ refusal: Refusal, _ request: Request) {
        guard admission.mayTell(refusal, request.message, at: clock.now) else {
            counts.silenced += 1
            return
        }
        if aside(Sentences.limitReached(refusal), request) == .conversation {
            admission.toldAll(refusal, request.message)
        }
    }

    /// Trouble with the sources, said once a window in each conversation.
    func trouble(_ kind: TroubleWindows.Trouble, _ text: String, lasting wait: Duration?, _ request: Request) {
        if troubles.mayTell(kind, in: request.conversation, lasting: wait, at: clock.now) {
            notice(text, request)
        } else {
            counts.silenced += 1
        }
    }

    /// Said so that no other bot reacts.
    func notice(_ text: String, _ request: Request) {
        let line = CutText.fit(text, budget: request.adapter.textBudget(for: request.message))
        guard !line.isEmpty else { return }
        let reply = Reply(kind: .notice, audience: .conversation, text: line, url: nil)
        if case .refused(let reason) = request.adapter.send(reply, to: request.message) { notSent(reason, request) }
    }

    /// Said to the asker alone where the protocol can, else to all; gives who hears it.
    @discardableResult
    func aside(_ text: String, _ request: Request) -> Reply.Audience {
        let line = CutText.fit(text, budget: request.adapter.textBudget(for: request.message))
        guard !line.isEmpty else { return .asker }
        let reply = Reply(kind: .notice, audience: .asker, text: line, url: nil)
        if request.adapter.send(reply, to: request.message) == .accepted { return .asker }
        notice(text, request)
        return .conversation
    }

    func notSent(_ reason: String, _ request: Request) {
        counts.notSent += 1
        log.debug("not sent", ["network": request.conversation.network, "reason": reason])
    }
}
