import Base
import Chat

/// An administrator's command, read: what is wanted, of which channel, and who wants it.
struct AdminCall {
    let verb: AdminVerb
    /// What stands behind the verb.
    let words: [String]
    /// The channel it is about; nil in a private talk where none was named.
    let target: Conversation?
    let author: Author
    let request: Request

    /// `[channel] verb words`. A channel in front is for bot admins, who may be anywhere.
    @Loop init(parsing text: String, _ request: Request, _ settings: BotSettings) throws(AdminFault) {
        var words = text.split(separator: " ").map(String.init)[...]
        let sender = request.message.sender
        var target: Conversation? = request.conversation.isDirect ? nil : request.conversation
        if let first = words.first, AdminVerb.named(first) == nil, words.count > 1,
            let name = ChannelName(first, here: request.conversation.network)
        {
            let named = settings.conversation(name, from: request.conversation, request.adapter)
            guard sender.isAdmin || named == request.conversation else { throw .adminsOnly }
            guard let named else { throw .unknownChannel }
            target = named
            words = words.dropFirst()
        }
        guard let verb = words.popFirst().flatMap({ AdminVerb.named($0) }) else { throw .usage }
        guard !verb.isForAdmins || sender.isAdmin else { throw .adminsOnly }
        if verb.needsChannel, target == nil { throw .noChannel }
        self.verb = verb
        self.words = Array(words)
        self.target = target
        self.request = request
        author = Author(request, about: target)
    }

    /// Whether words are those of an administrator's command, be it a right one or not.
    static func isMeant(by text: String) -> Bool {
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        guard let first = words.first else { return false }
        if AdminVerb.named(first) != nil { return true }
        return words.count > 1 && ChannelName(first, here: "") != nil && AdminVerb.named(words[1]) != nil
    }
}

/// A channel as an admin names it: `#cats`, `!room:server`, or with the network in front, `libera/#cats`.
private struct ChannelName {
    let network: String
    let name: String

    init?(_ text: String, here: String) {
        if Self.isChannel(text[...]) {
            network = here
            name = text
            return
        }
        guard let slash = text.firstIndex(of: "/"), Self.isChannel(text[slash...].dropFirst()) else { return nil }
        network = String(text[..<slash])
        name = String(text[slash...].dropFirst())
    }

    private static func isChannel(_ text: Substring) -> Bool {
        text.first.map { "#&!+".contains($0) } ?? false
    }
}

extension BotSettings {
    /// On another network only what the config names is known here.
    @Loop fileprivate func conversation(
        _ named: ChannelName, from here: Conversation, _ adapter: any ChatAdapter
    ) -> Conversation? {
        if named.network == here.network { return adapter.conversation(named: named.name) }
        let known = names(on: named.network) ?? []
        let lower = named.name.lowercased()
        let found = known.first { $0 == named.name } ?? known.first { $0.lowercased() == lower }
        return found.map { Conversation(network: named.network, name: $0, isDirect: false) }
    }
}
