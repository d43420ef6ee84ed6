import Base
import Chat

extension CommandEntry {
    static let ban = CommandEntry(
        "ban", does: "operators: takes the last GIF back and never shows it here again",
        .alone { bot, request in bot.ban(request) })
}

extension Bot {
    fileprivate func ban(_ request: Request) {
        guard !request.conversation.isDirect else { return hint(Sentences.onlyInChannels, request) }
        guard request.isByOperator else { return hint(Sentences.onlyOperators, request) }
        guard let record = book.lastShown(in: request.conversation), let id = record.shown else {
            return hint(Sentences.nothingToBan, request)
        }
        let isBannedAlready = isBanned(id, request, byAdmin: request.sender.isAdmin)
        guard isBannedAlready || request.sender.isAdmin || isInTime(request.sender, request) else {
            return refuse(.tooFast, request)
        }
        let isGone = isTakenBack(record, request)
        let answer = isGone ? Sentences.banned : Sentences.bannedNotTakenBack
        // Another change would say nothing new, and fill the record and the audit log.
        if isBannedAlready { hint(answer, request) } else { ban(id, request, answer: answer) }
    }
}
