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

    private static func name(of sender: Sender, on network: String) -> String {
        if let account = sender.identity.account { return "\(network)/\(account)" }
        if sender.identity.kind == .userID { return sender.key }
        return "\(sender.name) (\(sender.key)) on \(network)"
    }
}
