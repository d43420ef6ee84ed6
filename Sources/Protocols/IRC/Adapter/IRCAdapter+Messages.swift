import Base
public import Chat
import IRC

extension IRCAdapter {
    /// By the server's own rules; without a connection as it is in the config.
    public func conversation(named name: String) -> Conversation? {
        let known = inSession { $0.knownChannel(name) } ?? settings.channels.map(\.name).first { $0 == name }
        return known.map { Conversation(network: network, name: $0, isDirect: false) }
    }

    func chatMessage(_ message: IncomingMessage) -> ChatMessage? {
        let people = people
        return inSession { self.chatMessage(message, people, &$0) } ?? nil
    }

    private func chatMessage(
        _ message: IncomingMessage, _ people: IRCPeople, _ session: inout IRCSession
    ) -> ChatMessage? {
        let sender = sender(message, people, &session)
        // Masks and nicks are the session's business; who is ignored by account stays so under any nick. An admin is heard.
        if let account = message.account, !people.ignored.isEmpty, !sender.isAdmin {
            let folded = session.fold(account)
            for name in people.ignored where IRCPeople.isName(name) && session.fold(name) == folded { return nil }
        }
        return ChatMessage(
            id: message.id,
            conversation: Conversation(
                network: network, name: session.canonicalName(message.conversation), isDirect: message.isPrivate),
            sender: sender, text: message.text, isAddressed: message.isAddressed,
            age: message.age,
            // Behind a relay nobody can be told alone: the nick is the relay's.
            address: ReplyAddress(target: message.replyTarget, nick: message.isRelayed ? "" : message.relayNick).text)
    }

    /// A relay's people are told apart by the names it gives them, and none of them is an admin.
    private func sender(_ message: IncomingMessage, _ people: IRCPeople, _ session: inout IRCSession) -> Sender {
        let account = message.account.map { session.fold($0) }
        let isAdmin = !message.isRelayed && account != nil && people.admins.contains { session.fold($0) == account }
        let identity: Identity =
            if message.isRelayed {
                .relayed(session.fold(message.nick), by: account ?? session.fold(message.relayNick))
            } else if let account {
                .account(account)
            } else {
                .host(message.host.lowercased())
            }
        return Sender(identity: identity, name: message.nick, isAdmin: isAdmin, isOperator: message.isOperator)
    }

    /// What the operator is told. Nicks and texts of people only at `debug`.
    func tell(_ event: IRCEvent) {
        switch event {
        case .message, .redacted: break
        case .online:
            log.info("online", ["network": network])
            onOutcome?(.online)
        case .joined(let channel): log.info("joined", ["network": network, "channel": channel])
        case .kicked(let channel, let by, let reason):
            log.warning("kicked", ["network": network, "channel": channel])
            log.debug("kicked", ["network": network, "channel": channel, "by": by, "reason": reason])
        case .left(let channel): log.info("left", ["network": network, "channel": channel])
        case .joinRefused(let channel, let code, let reason, let isFinal):
            log.warning(
                "cannot join",
                ["network": network, "channel": channel, "code": code, "reason": reason, "final": "\(isFinal)"])
        case .cannotSpeak(let target, let code, let reason):
            log.warning("cannot speak", ["network": network, "code": code, "reason": reason])
            log.debug("cannot speak", ["network": network, "target": target])
        case .nickChanged(let nick): log.info("our nick changed", ["network": network, "nick": nick])
        case .loggedIn:
            log.info("logged in", ["network": network])
            onOutcome?(.loggedIn)
        case .loggedOut: log.warning("services logged us out", ["network": network])
        case .loginTrouble(let reason):
            log.warning("login failed", ["network": network, "reason": reason])
            onOutcome?(.failed(reason))
        case .strictTransport(.upgrade(let port)):
            log.info("the server wants TLS", ["network": network, "port": "\(port)"])
        case .strictTransport(.keep(let seconds)):
            log.debug("the server wants TLS from now on", ["network": network, "seconds": "\(seconds)"])
        case .answersDropped(let count):
            log.warning("answers waited too long and were dropped", ["network": network, "count": "\(count)"])
        case .refused(let code, let reason):
            log.debug("refused by the server", ["network": network, "code": code, "reason": reason])
        case .noted(let code, let text):
            log.debug("the server says", ["network": network, "code": code, "text": text])
        }
    }
}

/// Where an answer goes, and to whom one that is only for the asker; neither holds a space.
struct ReplyAddress: Equatable {
    let target: String
    let nick: String

    init(target: String, nick: String) {
        self.target = target
        self.nick = nick
    }

    init(_ text: String) {
        let end = text.utf8.firstIndex(of: 0x20) ?? text.endIndex
        target = String(text[..<end])
        nick = end == text.endIndex ? target : String(text[text.utf8.index(after: end)...])
    }

    var text: String { "\(target) \(nick)" }
}
