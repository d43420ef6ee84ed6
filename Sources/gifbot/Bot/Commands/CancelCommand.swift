import Base
import Chat

extension CommandEntry {
    static let cancel = CommandEntry(
        "cancel", does: "forgets what you previewed",
        .alone { bot, request in
            guard bot.previewed(request) != nil else { return }
            bot.choices.remove(Pager(conversation: request.conversation, key: request.person))
            if !bot.whisper(Sentences.previewCancelled, request) { bot.hint(Sentences.previewCancelled, request) }
        })
}
