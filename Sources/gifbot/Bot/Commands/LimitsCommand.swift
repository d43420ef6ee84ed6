import Base
import Chat
import RateLimiter

extension CommandEntry {
    static let limits = CommandEntry(
        "limits", does: "the limits here and what is left",
        .alone { bot, request in bot.tellLimits(request) })
}

extension Bot {
    fileprivate func tellLimits(_ request: Request) {
        let budgets = SourceSentences.budgets(search.statuses(for: request.asker), wall: clock.wall)
        guard !isExempt(request.message.sender) else {
            hint(([Sentences.exempt] + budgets).joined(separator: " \u{B7} "), request)
            return
        }
        let limits = admission.remaining(
            for: request.message, limits: request.channel.settings.limits, at: clock.now)
        hint(([Sentences.limits(limits)] + budgets).joined(separator: " \u{B7} "), request)
    }
}
