import Base
public import Chat
import Matrix

extension MatrixAdapter {
    /// A room by its id or by the alias in the config.
    public func conversation(named name: String) -> Conversation? {
        guard session?.rooms[name] != nil || names.isConfigured(name) || names.aliases.contains(name) else {
            return nil
        }
        return Conversation(network: network, name: names.name(of: name), isDirect: false)
    }

    /// An admin is always heard: who could lift it must not be shut out.
    func isIgnored(_ user: String) -> Bool { ignored.contains(user) && !admins.contains(user) }

    /// Nil for what is too old, or comes from somebody who is ignored.
    func chatMessage(_ message: RoomMessage, thread: String? = nil) -> ChatMessage? {
        guard let userID = session?.userID, !isIgnored(message.sender) else { return nil }
        guard let age = age(message.age, origin: message.originTime), age <= longestAge else {
            log.debug("an old message is left alone", ["room": message.room])
            return nil
        }
        let mention = Mention(
            in: message, userID: userID, names: [displayName, message.ownName].compactMap { $0 })
        guard mention.isAddressed || !mention.text.allSatisfy(\.isWhitespace) else { return nil }
        return ChatMessage(
            id: message.id, conversation: conversation(message.room, isDirect: message.isDirect),
            sender: person(message.sender, level: message.level), text: mention.text,
            isAddressed: mention.isAddressed, age: age,
            address: RoomAddress(room: message.room, thread: message.thread ?? thread).text)
    }

    func conversation(_ room: String, isDirect: Bool) -> Conversation {
        Conversation(network: network, name: names.name(of: room), isDirect: isDirect)
    }

    func person(_ user: String, level: Int) -> Sender {
        Sender(
            identity: .userID(user), name: user, isAdmin: admins.contains(user), isOperator: level >= Self.operatorLevel
        )
    }

    /// Older messages are not handed over.
    var longestAge: Duration {
        freshSince.map { min(ageLimit, $0.duration(to: clock.now)) } ?? ageLimit
    }

    /// The homeserver's own count, else the word of the sender's server; nil where there is neither, which is no message
    /// of now.
    func age(_ told: Int64?, origin: Int64?) -> Duration? {
        if let told { return .milliseconds(max(0, told)) }
        return origin.map { origin in
            let (age, overflows) = clock.wall.milliseconds.subtractingReportingOverflow(origin)
            return .milliseconds(overflows ? Int64.max / 2000 : max(0, age))
        }
    }
}
