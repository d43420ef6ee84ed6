import Base
import Chat
import RateLimiter

extension CommandEntry {
    static let limits = CommandEntry("limits", does: "the limits here and what is left") { bot, request, _ in
        bot.tellLimits(request)
    }
}

extension Bot {
    fileprivate func tellLimits(_ request: Request) {
        guard !isExempt(request.message.sender) else {
            hint(Sentences.exempt, request)
            return
        }
        let limits = admission.remaining(
            for: request.message, limits: request.channel.settings.limits, at: clock.now)
        hint(Sentences.limits(limits), request)
    }
}
