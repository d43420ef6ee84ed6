import Base
import Chat
import IRC
import OpenSSL
import TestSupport
import Testing

@testable import IRCAdapter

@Suite("IRC adapter: what becomes of an answer") @Loop
struct AnswerTests {
    private static let capabilities = "batch draft/message-redaction echo-message labeled-response message-tags"

    /// In #Cats, with these capabilities.
    private static func network(_ capabilities: String = capabilities, people: IRCPeople = IRCPeople()) -> Network {
        let network = Network({ $0.connection.flood = nil }, people: people)
        network.adapter.start()
        network.link.open()
        network.receive(":irc.test CAP * LS :\(capabilities)", ":irc.test CAP * ACK :\(capabilities)")
        network.receive(":irc.test 001 gifbot :hi", ":irc.test 376 gifbot :end", ":gifbot!~gifbot@host JOIN #cats")
        _ = network.link.sent()
        return network
    }

    private static func reply(_ id: String, _ audience: Reply.Audience = .conversation) -> Reply {
        Reply(kind: .answer, audience: audience, text: "Owl", url: nil, id: AnswerID(id))
    }

    @Test("T7, T9: an answer refers to its command, and is taken back by the id that its echo told")
    func retract() {
        let network = Self.network()
        network.receive("@msgid=q1 :bo!b@h PRIVMSG #cats :!gif owl")
        let message = network.listener.messages[0]
        #expect(network.adapter.send(Self.reply("q1"), to: message) == .accepted)
        #expect(network.link.sent() == ["@label=0;+reply=q1;+draft/reply=q1 PRIVMSG #cats :Owl"])
        network.receive("@label=0;msgid=a1 :gifbot!~gifbot@host PRIVMSG #cats :Owl")
        #expect(network.adapter.retract(AnswerID("q1"), for: message) == .accepted)
        #expect(network.link.sent() == ["REDACT #cats a1"])
        #expect(
            network.adapter.retract(AnswerID("q1"), for: message) == .refused("no such answer is remembered"))
        #expect(network.adapter.revise(Self.reply("q1"), to: message) == .refused("nothing can be changed here"))
    }

    @Test("T7: a private answer tells where it was asked for")
    func privateAnswer() {
        let network = Self.network("message-tags")
        network.receive("@msgid=q1 :bo!b@h PRIVMSG #cats :!gif list", "@msgid=q2 :bo!b@h PRIVMSG gifbot :gif list")
        for message in network.listener.messages {
            _ = network.adapter.send(Self.reply("x", .asker), to: message)
        }
        #expect(
            network.link.sent() == [
                "@+reply=q1;+draft/reply=q1;+channel-context=#cats;+draft/channel-context=#cats NOTICE bo :Owl",
                "@+reply=q2;+draft/reply=q2 NOTICE bo :Owl",
            ])
    }

    @Test("T9: ids outlive the connection: an answer of before is taken back, and so is its command")
    func acrossConnections() {
        let network = Self.network()
        network.receive("@msgid=q1 :bo!b@h PRIVMSG #cats :!gif owl")
        let message = network.listener.messages[0]
        _ = network.adapter.send(Self.reply("q1"), to: message)
        network.receive("@label=0;msgid=a1 :gifbot!~gifbot@host PRIVMSG #cats :Owl")
        network.link.end(IRCLinkEnd(.byPeer, "closed"))
        _ = network.waitForAttempt()
        network.link.open()
        network.receive(":irc.test CAP * LS :\(Self.capabilities)", ":irc.test CAP * ACK :\(Self.capabilities)")
        network.receive(":irc.test 001 gifbot :hi", ":irc.test 376 gifbot :end", ":gifbot!~gifbot@host JOIN #cats")
        _ = network.link.sent()
        network.receive("@msgid=q1 :bo!b@h PRIVMSG #cats :!gif owl", ":bo!b@h REDACT #cats q1")
        #expect(network.listener.messages.count == 1)
        #expect(network.listener.changes.map(\.answer) == [AnswerID("q1")])
        #expect(network.adapter.retract(AnswerID("q1"), for: message) == .accepted)
        #expect(network.link.sent() == ["REDACT #cats a1"])
    }

    @Test("T9: the asker takes the command back")
    func redacted() {
        let network = Self.network(people: IRCPeople(admins: ["bo"]))
        network.receive(
            "@msgid=q1;account=bo :bo!b@h PRIVMSG #cats :!gif owl", "@account=bo :bo!b@h REDACT #cats q1 :no",
            ":bo!b@h REDACT #cats q2 :never seen")
        #expect(network.listener.changes.count == 1)
        let change = network.listener.changes.first
        #expect(change?.kind == .redacted)
        #expect(change?.answer == AnswerID("q1"))
        #expect(change?.message.id == "q1")
        #expect(change?.message.conversation == Conversation(network: "test", name: "#Cats", isDirect: false))
        #expect(
            change?.message.sender == Sender(identity: .account("bo"), name: "bo", isAdmin: true, isOperator: false))
        #expect(change?.message.text == "")
    }

    @Test("nothing can be taken back where the server can't, or when there is no connection")
    func unsupported() {
        let network = Self.network("message-tags")
        network.receive("@msgid=q1 :bo!b@h PRIVMSG #cats :!gif owl")
        let message = network.listener.messages[0]
        _ = network.adapter.send(Self.reply("q1"), to: message)
        #expect(network.adapter.retract(AnswerID("q1"), for: message) == .refused("nothing can be taken back here"))
        network.link.end(IRCLinkEnd(.byPeer, "closed"))
        #expect(network.adapter.retract(AnswerID("q1"), for: message) == .refused("not online"))
    }

    @Test("T7: typing is told once a command has taken a while, every three seconds, and ended without an answer")
    func typing() {
        let network = Self.network("message-tags")
        network.receive("@msgid=q1 :bo!b@h PRIVMSG #cats :!gif owl", "@msgid=q2 :ada!b@h PRIVMSG #cats :!gif fox")
        let messages = network.listener.messages
        for message in messages { network.adapter.began(message) }
        #expect(network.link.sent() == [])
        var told: [Int] = []
        for tenth in 1...80 {
            network.clock.advance(by: .milliseconds(100))
            if network.link.sent() == ["@+typing=active TAGMSG #cats"] { told.append(tenth) }
        }
        #expect(told == [8, 38, 68])
        network.adapter.finished(messages[0])
        #expect(network.link.sent() == [])
        network.adapter.finished(messages[1])
        #expect(network.link.sent() == ["@+typing=done TAGMSG #cats"])
        network.clock.advance(by: .seconds(30))
        #expect(network.link.sent() == [])
    }

    @Test("T7: a quick command tells nothing, nor does a server without tags")
    func noTyping() {
        for capabilities in ["message-tags", "batch"] {
            let network = Self.network(capabilities)
            network.receive(":bo!b@h PRIVMSG #cats :!gif owl")
            let message = network.listener.messages[0]
            network.adapter.began(message)
            if capabilities == "batch" { network.clock.advance(by: .seconds(5)) }
            network.adapter.finished(message)
            network.clock.advance(by: .seconds(5))
            #expect(network.link.sent() == [])
        }
    }

    @Test("no timer ticks once nobody waits for an answer, nor for a server that takes no typing notices")
    func noTypingTimer() {
        let network = Self.network("message-tags")
        network.receive("@msgid=q1 :bo!b@h PRIVMSG #cats :!gif owl", "@msgid=q2 :ada!b@h PRIVMSG #cats :!gif fox")
        let messages = network.listener.messages
        let idle = network.clock.nextDue
        for message in messages { network.adapter.began(message) }
        #expect(network.clock.nextDue == network.clock.now.advanced(by: .milliseconds(800)))
        network.clock.advance(by: .seconds(1))
        #expect(network.link.sent() == ["@+typing=active TAGMSG #cats"])
        network.adapter.finished(messages[0])
        #expect(network.clock.nextDue != idle)
        network.adapter.finished(messages[1])
        #expect(network.clock.nextDue == idle)
        network.adapter.began(messages[0])
        network.link.end(IRCLinkEnd(.byPeer, "closed"))
        #expect(network.clock.nextDue.map { network.clock.now.duration(to: $0) >= .seconds(1) } == true)

        let plain = Self.network("batch")
        plain.receive(":bo!b@h PRIVMSG #cats :!gif owl")
        let quiet = plain.clock.nextDue
        plain.adapter.began(plain.listener.messages[0])
        #expect(plain.clock.nextDue == quiet)
        plain.adapter.finished(plain.listener.messages[0])
        #expect(plain.clock.nextDue == quiet)
    }

    @Test("T11: rights come from ranks and accounts, never from a nick, and a relay's people have none")
    func rights() {
        let people = IRCPeople(admins: ["alice", "bridge"])
        let network = Network({ $0.relays = ["bridge"] }, people: people)
        network.adapter.start()
        network.link.open()
        network.receive(":irc.test CAP * LS :account-tag", ":irc.test CAP * ACK :account-tag")
        network.receive(":irc.test 001 gifbot :hi", ":irc.test 376 gifbot :end", ":gifbot!g@h JOIN #cats")
        network.receive(":irc.test 353 gifbot = #cats :@ada @bridge alice")
        network.receive(
            ":ada!a@h PRIVMSG #cats :!gif x", "@account=ALICE :bo!a@h PRIVMSG #cats :!gif x",
            ":alice!a@h PRIVMSG #cats :!gif x", "@account=bridge :bridge!a@h PRIVMSG #cats :<ada> !gif x",
            "@account=bridge :bridge!a@h PRIVMSG #cats :!gif x", ":bridge!a@h PRIVMSG #cats :<alice> !gif x",
            ":ada!a@h PRIVMSG gifbot :gif x")
        #expect(network.listener.messages.map(\.sender.isOperator) == [true] + Array(repeating: false, count: 6))
        #expect(network.listener.messages.map(\.sender.isAdmin) == [false, true] + Array(repeating: false, count: 5))
        #expect(
            network.listener.messages.map(\.sender.key) == [
                "host:h", "account:alice", "host:h", "relay:bridge/ada", "relay:bridge/bridge", "relay:bridge/alice",
                "host:h",
            ])
    }
}
