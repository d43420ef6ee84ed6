import Base
import Chat

/// An administrator's command, read: what is wanted, of which channel, and who wants it.
struct AdminCall {
    let verb: AdminVerb
    /// What stands behind the verb.
    let words: [String]
    /// The channel it is about; nil in a private talk where none was named.
    let target: Conversation?
    let isByAdmin: Bool
    let who: String
    let request: Request

    /// A command of its own, `ban`, done as if it stood behind `admin`.
    init?(verb name: String, _ request: Request) {
        guard let verb = AdminVerb.named(name), !request.conversation.isDirect else { return nil }
        self.verb = verb
        self.request = request
        words = []
        target = request.conversation
        isByAdmin = request.message.sender.isAdmin
        who = Self.name(of: request.message.sender, on: request.conversation.network)
    }

    /// `[channel] verb words`. A channel in front is for bot admins, who may be anywhere.
    @Loop init(parsing text: String, _ request: Request, _ settings: BotSettings) throws(AdminFault) {
        var words = text.split(separator: " ").map(String.init)[...]
        let sender = request.message.sender
        var target: Conversation? = request.conversation.isDirect ? nil : request.conversation
        if let first = words.first, AdminVerb.named(first) == nil, words.count > 1,
            let named = settings.conversation(named: first, from: request.conversation, request.adapter)
        {
            guard sender.isAdmin || named == request.conversation else { throw .adminsOnly }
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
        isByAdmin = sender.isAdmin
        who = Self.name(of: sender, on: request.conversation.network)
    }

    /// Where it was given or what it is about, for the audit log.
    var place: String {
        let place = target ?? request.conversation
        return place.isDirect ? "\(place.network) in private" : "\(place.network)/\(place.name)"
    }

    private static let accountMark = "account:"

    /// The verified identity; of an operator without one, the nick and what limits know them by.
    private static func name(of sender: Sender, on network: String) -> String {
        if sender.key.hasPrefix(accountMark) { return "\(network)/\(sender.key.dropFirst(accountMark.count))" }
        if sender.key == sender.name { return sender.name }
        return "\(sender.name) (\(sender.key)) on \(network)"
    }
}

extension BotSettings {
    /// The channel that an admin names: `#cats`, `!room:server`, or with the network in front, `libera/#cats`.
    @Loop func conversation(
        named text: String, from here: Conversation, _ adapter: any ChatAdapter
    ) -> Conversation? {
        guard let mark = text.first else { return nil }
        if "#&!+".contains(mark) { return adapter.conversation(named: text) }
        guard let slash = text.firstIndex(of: "/") else { return nil }
        let network = String(text[..<slash])
        let name = String(text[text.index(after: slash)...])
        guard let first = name.first, "#&!+".contains(first) else { return nil }
        if network == here.network { return adapter.conversation(named: name) }
        guard let known = names(on: network) else { return nil }
        let spelled = known.first { $0 == name } ?? known.first { $0.lowercased() == name.lowercased() }
        return Conversation(network: network, name: spelled ?? name.lowercased(), isDirect: false)
    }
}
