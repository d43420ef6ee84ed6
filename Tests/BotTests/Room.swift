import Base
import Bot
import Chat
import GiphySearch
import RateLimiter
import TestSupport

/// A bot with everything around it played by fakes, and people who talk to it in `net/#cats`.
@Loop final class Room {
    let clock = ManualClock()
    let search = FakeSearch()
    let adapter = FakeAdapter(network: "net")
    let store: MemoryBotStore
    let sink = RecordingLog()
    let bot: Bot

    init(_ settings: BotSettings = BotSettings(), store: MemoryBotStore = MemoryBotStore()) {
        self.store = store
        bot = Bot(
            settings: settings,
            about: About(
                version: "1.0", sourceURL: "https://example.org/gifbot", credits: ["Powered by GIPHY"]),
            search: search, store: store, clock: clock, log: Log("bot", to: sink))
        search.pages["party"] = page(gif("a"), gif("b"), gif("c"))
    }

    convenience init(_ change: (inout ChannelOverrides) -> Void) {
        var overrides = ChannelOverrides()
        change(&overrides)
        self.init(BotSettings(defaults: overrides))
    }

    func say(
        _ text: String, by user: String = "ada", in channel: String = "#cats", on network: String = "net",
        id: String? = nil, isDirect: Bool = false, isAddressed: Bool = false, isAdmin: Bool = false,
        isOperator: Bool = false, age: Duration = .zero
    ) {
        bot.received(
            ChatMessage(
                id: id, conversation: Conversation(network: network, name: channel, isDirect: isDirect),
                sender: Sender(identity: identity(user), name: user, isAdmin: isAdmin, isOperator: isOperator),
                text: text,
                isAddressed: isAddressed, age: age, address: ""),
            from: adapter)
    }

    /// What became of the message with that id.
    func change(
        _ kind: ChatChange.Kind, _ id: String, _ text: String = "", by user: String = "ada", isOperator: Bool = false,
        isByAsker: Bool? = nil, answerAge: Duration? = nil
    ) {
        let isMark = if case .reacted = kind { true } else { false }
        bot.changed(
            ChatChange(
                kind: kind, answer: AnswerID(id),
                message: ChatMessage(
                    id: isMark ? "$mark" : id,
                    conversation: Conversation(network: "net", name: "#cats", isDirect: false),
                    sender: Sender(identity: identity(user), name: user, isAdmin: false, isOperator: isOperator),
                    text: text,
                    isAddressed: false, age: .zero, address: ""), isByAsker: isByAsker,
                answerAge: answerAge),
            from: adapter)
    }

    /// Lets the sources answer, and waits until the commands in progress are done.
    func finish(_ result: Result<SearchPage, SearchFailure>) async {
        // Some may not have asked yet.
        search.result = result
        search.finish(result)
        await bot.waitUntilIdle()
        search.result = nil
    }
}

extension ChannelOverrides {
    /// No limit at all, for tests about something else.
    mutating func dropLimits() {
        limits.user = .off
        limits.channel = .off
        limits.global = .off
    }
}

/// `account:ada` is logged in; whoever is named otherwise is known by that name.
private func identity(_ user: String) -> Identity {
    let account = "account:"
    return user.hasPrefix(account) ? .account(String(user.dropFirst(account.count))) : .userID(user)
}

func limit(_ text: String) -> ChannelOverrides.Limit {
    do {
        return .rule(try RateLimitRule(parsing: text))
    } catch {
        preconditionFailure("\(error)")
    }
}
