import Base

/// What administrators are told. What they typed comes back only where a list has to show it, never in front.
enum AdminSentences {
    static let noReload = "Nothing to reload here."

    static func set(_ change: AdminChange) -> String {
        "Set \(change.reach.phrase): \(change.setting.text) (number \(change.number))."
    }

    static func reverted(_ change: AdminChange) -> String {
        "Lifted \(change.reach.phrase): \(change.setting.text)."
    }

    static func unbanned(_ id: String, _ place: String) -> String { "No longer banned in \(place): \(id)." }
    static func ignored(_ person: BotSectionSettings.Person) -> String { "Ignored from now on: \(person.text)." }
    static func heard(_ person: BotSectionSettings.Person) -> String { "Heard again: \(person.text)." }

    static func line(for change: AdminChange, withPlace: Bool) -> String {
        let place = withPlace || !change.reach.isChannel ? "\(change.reach.text) " : ""
        let rank = change.isByAdmin ? "admin" : "operator"
        return "#\(change.number) \(place)\(change.setting.text) (\(change.who), \(rank), \(DateText.day(change.at)))"
    }

    static func line(_ entry: AuditEntry) -> String {
        "#\(entry.number) \(DateText.minute(entry.at)) \(entry.who) in \(entry.place): \(entry.what)"
    }

    /// `Changes: #9 … · #7 … (2 of 12; older: admin changes 2)`
    static func list(
        _ lines: [String], from start: Int, title: String, none: String, verb: String, budget: Int
    ) -> String {
        guard start < lines.count else { return none }
        var text = "\(title): "
        var shown = 0
        for line in lines[start...] {
            let next = (shown == 0 ? "" : " \u{B7} ") + line
            let isLast = start + shown + 1 == lines.count
            let room = budget - (isLast ? 0 : more(lines.count, from: start, shown + 1, verb).utf8.count)
            if shown > 0, text.utf8.count + next.utf8.count > room { break }
            text += next
            shown += 1
        }
        return start + shown == lines.count ? text : text + more(lines.count, from: start, shown, verb)
    }

    private static func more(_ count: Int, from start: Int, _ shown: Int, _ verb: String) -> String {
        " (\(shown) of \(count - start); older: admin \(verb) \(start + shown))"
    }

    static func status(
        version: String, upFor: Duration, parts: [String], counts: BotCounts, inProgress: Int, changes: Int,
        ignored: Int
    ) -> String {
        let all =
            ["gifbot \(version), up \(TimeSpan.text(upFor))"] + parts + [
                "\(counts.commands) commands, \(counts.answers) answers, \(counts.refusals) refused by limits, "
                    + "\(counts.silenced) lines not said, \(counts.shed) too many",
                "\(inProgress) in progress, longest wait \(TimeSpan.text(counts.longestWait))",
                "\(changes) changes by chat", "\(ignored) ignored by chat",
            ]
        return "Status: " + all.joined(separator: " \u{B7} ")
    }
}

extension AdminChange.Reach {
    fileprivate var phrase: String {
        switch self {
        case .channel: "in \(text)"
        case .network(let network): "for all of \(network)"
        case .bot: "for the whole bot"
        }
    }

    fileprivate var isChannel: Bool {
        switch self {
        case .channel: true
        case .network, .bot: false
        }
    }
}

extension AdminSentences {
    static func refusal(_ fault: AdminFault, call: String, isAdmin: Bool) -> String {
        switch fault {
        case .usage: usage(call, isAdmin: isAdmin)
        case .rating: "Rating takes one of g, pg, pg-13, r."
        case .scope: "Limit takes one of user, channel, user_in_channel, network, global, and a rule."
        case .rule(let error): "Limit: \(error), or off."
        case .longWord: "Words that long are never in a title."
        case .longName: "Names that long are none."
        case .adminsOnly:
            "Only " + (isAdmin ? "" : "operators, in their own channel, and ") + "the bot's admins may do that."
        case .looser(let highest): "Operators may only tighten: \(highest) was set by the config or a bot admin."
        case .unknownChange: "No change of this channel has that number; \(call) changes lists them."
        case .setByAdmin: "That was set by a bot admin, and only one can lift it."
        case .tooMany: "Too many changes here; lift some first, \(call) changes lists them."
        case .tooFast: "Too many changes in so short a time; try again in a minute."
        case .unknownChannel: "No channel of that name: the bot neither is there nor is to be."
        case .noChannel: "Which channel? In private it comes first: \(call) #channel off."
        case .notDenied: "That word is not denied here."
        case .notBanned: "That id is not banned here."
        case .notIgnored: "Nobody of that name is ignored by chat."
        case .who: "Who is meant? A Matrix user id such as @ada:example.org, or network/nick!user@host with * and ?."
        }
    }

    private static func usage(_ call: String, isAdmin: Bool) -> String {
        let verbs = AdminVerb.all.filter { isAdmin || !$0.isForAdmins }.map(\.usage)
        return "Usage: \(call) " + verbs.joined(separator: " | ")
    }
}
