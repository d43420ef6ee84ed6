import Base
import Chat
import GiphySearch

/// A source's key that is refused is told to one bot admin who is there, once until the settings change: to the one who asked, else
/// to the one heard last, else to the next who comes.
struct KeyNotice {
    /// After this an admin counts as gone.
    private static let presence = Duration.hours(1)

    private enum State {
        case nothing, due, told
    }

    private var state = State.nothing
    private var lastHeard: (request: Request, at: Instant)?

    mutating func heard(_ request: Request, at now: Instant) {
        lastHeard = (request, now)
    }

    /// Nothing new to look for.
    var isKnown: Bool { state != .nothing }

    mutating func refused() {
        if state == .nothing { state = .due }
    }

    /// Who is to be told; nil when nobody is there, or it was told.
    func addressee(at now: Instant) -> Request? {
        guard state == .due, let lastHeard, lastHeard.at.duration(to: now) < Self.presence else { return nil }
        return lastHeard.request
    }

    mutating func told() { state = .told }

    /// The settings are others, and with them the keys perhaps.
    mutating func reset() { state = .nothing }
}

extension Bot {
    /// Another source may have answered in the place of one whose key is refused.
    func noteKeys(_ request: Request) {
        guard !keyNotice.isKnown else { return }
        for status in search.statuses(for: request.asker) {
            guard case .badKey = status.trouble else { continue }
            _ = keyWasRefused(asking: request)
            return
        }
    }

    /// Notes that a bot admin is there, and tells what waited for one.
    func noteAdmin(_ request: Request) {
        guard request.message.sender.isAdmin else { return }
        keyNotice.heard(request, at: clock.now)
        tellOfKey()
    }

    /// A source refuses the bot's key: for the log, which search has told, and for one admin. True when it is the asker who
    /// was told now.
    func keyWasRefused(asking request: Request) -> Bool {
        keyNotice.refused()
        return tellOfKey() && request.message.sender.isAdmin
    }

    /// In private only: nobody else needs to know.
    @discardableResult
    private func tellOfKey() -> Bool {
        guard let request = keyNotice.addressee(at: clock.now) else { return false }
        let reply = Reply(kind: .notice, audience: .asker, text: Sentences.keyRefused, url: nil)
        guard request.adapter.send(reply, to: request.message) == .accepted else { return false }
        keyNotice.told()
        return true
    }
}
