import Chat

/// Who changes something by chat, as records of it name them.
struct Author {
    /// The verified identity; of an operator without one, the nick and what limits know them by.
    let who: String
    let isAdmin: Bool
    /// What it is about, or where it was said.
    let place: String

    init(_ request: Request, about target: Conversation? = nil) {
        who = Self.name(of: request.sender, on: request.conversation.network)
        isAdmin = request.sender.isAdmin
        let place = target ?? request.conversation
        self.place = place.isDirect ? "\(place.network) in private" : "\(place.network)/\(place.name)"
    }

    private static let accountMark = "account:"

    private static func name(of sender: Sender, on network: String) -> String {
        if sender.key.hasPrefix(accountMark) { return "\(network)/\(sender.key.dropFirst(accountMark.count))" }
        if sender.key == sender.name { return sender.name }
        return "\(sender.name) (\(sender.key)) on \(network)"
    }
}
