import Base
import Chat

extension Bot {
    func ignore(_ call: AdminCall) throws(AdminFault) {
        let person = try person(call)
        guard record.ignored.count < AdminRecord.mostIgnored else { throw .tooMany }
        carryOut(
            [.ignored(person)], what: "ignore \(person.text)", by: call.author, call.request,
            AdminSentences.ignored(person))
    }

    func hear(_ call: AdminCall) throws(AdminFault) {
        let person = try person(call)
        guard record.ignored.contains(person) else { throw .notIgnored }
        carryOut(
            [.heard(person)], what: "unignore \(person.text)", by: call.author, call.request,
            AdminSentences.heard(person))
    }

    /// `@user:server`, or on IRC a mask, nick or account, with a network in front or of the network of the command.
    private func person(_ call: AdminCall) throws(AdminFault) -> BotSectionSettings.Person {
        guard call.words.count == 1 else { throw .usage }
        let text = call.words[0]
        if text.hasPrefix("@") {
            guard text.contains(":") else { throw .who }
            return .matrix(text)
        }
        var network = call.request.conversation.network
        var name = text
        if let slash = text.firstIndex(of: "/"), settings.names(on: String(text[..<slash])) != nil {
            network = String(text[..<slash])
            name = String(text[text.index(after: slash)...])
        }
        // Where people are known by user id there are no nicks.
        let hasNicks = call.request.sender.identity.kind != .userID
        guard !name.isEmpty, hasNicks || network != call.request.conversation.network else { throw .who }
        return .onNetwork(network, name)
    }
}

extension BotSectionSettings.Person {
    /// As the config spells it.
    public var text: String {
        switch self {
        case .onNetwork(let network, let name): "\(network)/\(name)"
        case .matrix(let id): id
        }
    }

    /// Reads what `text` wrote.
    public init?(text: String) {
        if text.hasPrefix("@") {
            self = .matrix(text)
            return
        }
        guard let slash = text.firstIndex(of: "/") else { return nil }
        self = .onNetwork(String(text[..<slash]), String(text[text.index(after: slash)...]))
    }
}
