import Base
import Chat
import OpenSSL
import TestSupport
import IRC
import IRCAdapter
import Testing

@Suite("IRC adapter: messages and answers") @Loop
struct MessageTests {
    private static let answer = Reply(kind: .answer, audience: .conversation, text: "Owl — https://x.test/1", url: nil)

    @Test func aCommandIsAnsweredFromTheSameRead() {
        let network = Network()
        network.join()
        network.listener.answer = Self.answer
        network.receive(
            ":bo!b@Host.test PRIVMSG #cats :!gif owl", ":ada!a@h PRIVMSG #cats :just talk", "PING :now",
            ":ada!a@h PRIVMSG gifbot :gif fox")
        // All lines of one read are written at once.
        #expect(network.link.writes.count == 1)
        #expect(
            network.link.sent() == [
                "PONG now", "PRIVMSG #cats :Owl — https://x.test/1", "PRIVMSG ada :Owl — https://x.test/1",
            ])
        #expect(network.listener.outcomes == [.accepted, .accepted])
        let first = network.listener.messages[0]
        #expect(first.conversation == Conversation(network: "test", name: "#Cats", isDirect: false))
        #expect(first.sender == Sender(identity: .host("host.test"), name: "bo", isAdmin: false, isOperator: false))
        #expect(first.text == "!gif owl")
        #expect(network.listener.messages[1].conversation == Conversation(network: "test", name: "ada", isDirect: true))
    }

    @Test("BUG-15 (e): a command is noted when it is taken, and not handed on again")
    func answeredOnce() {
        let network = Network()
        network.join()
        network.receive("@msgid=m1 :bo!b@h PRIVMSG #cats :!gif owl")
        #expect(network.answered.ids.isEmpty)
        network.adapter.began(network.listener.messages[0])
        #expect(network.answered.ids == ["m1"])
        network.receive("@msgid=m1 :bo!b@h PRIVMSG #cats :!gif owl", "@msgid=m2 :bo!b@h PRIVMSG #cats :!gif hen")
        #expect(network.listener.messages.map(\.id) == ["m1", "m2"])
    }

    @Test("BUG-05: a character cut by the read size, an over-long line")
    func cuts() {
        let network = Network()
        network.join()
        let line = Array(":bo!b@h PRIVMSG #cats :!gif café\r\n".utf8)
        let cut = line.firstIndex(of: 0xA9)!
        network.link.receive(Array(line[..<cut]))
        network.link.receive(Array(line[cut...]) + Array(repeating: 0x41, count: 20_000))
        network.link.receive(Array("\r\n".utf8) + line)
        #expect(network.listener.messages.map(\.text) == ["!gif café", "!gif café"])
        #expect(!network.link.isClosed)
    }

    @Test("BUG-08: one entry and one bucket for all spellings")
    func spellings() {
        let network = Network { $0.channels = [.init(name: "#Cats[1]")] }
        network.adapter.start()
        network.welcome()
        network.receive(":gifbot!~gifbot@host JOIN #cats[1]")
        _ = network.link.sent()
        network.listener.answer = Self.answer
        for name in ["#cats[1]", "#CATS{1}", "#cats{1}"] {
            network.receive(":bo!b@h PRIVMSG \(name) :!gif owl")
            #expect(network.link.sent() == ["PRIVMSG \(name) :Owl — https://x.test/1"])
        }
        #expect(Set(network.listener.messages.map(\.conversation.name)) == ["#Cats[1]"])
    }

    @Test("BUG-12: a late answer isn't sent into a channel we left")
    func lateAnswer() {
        let network = Network()
        network.join()
        network.receive(":bo!b@h PRIVMSG #cats :!gif owl")
        network.receive(":op!o@h KICK #cats gifbot :no")
        #expect(network.adapter.send(Self.answer, to: network.listener.messages[0]) == .refused("not in the channel"))
        network.link.end(IRCLinkEnd(.byPeer, "closed"))
        #expect(network.adapter.send(Self.answer, to: network.listener.messages[0]) == .refused("not connected"))
    }

    @Test("BUG-13: refusals are notices, and only for the asker where that is wanted")
    func notices() {
        let network = Network()
        network.join()
        network.receive(":bo!b@h PRIVMSG #cats :!gif owl")
        let message = network.listener.messages[0]
        _ = network.adapter.send(
            Reply(kind: .notice, audience: .conversation, text: "slow down", url: nil), to: message)
        _ = network.adapter.send(Reply(kind: .answer, audience: .asker, text: "a\r\nQUIT", url: nil), to: message)
        #expect(network.link.sent() == ["NOTICE #cats :slow down", "NOTICE bo :a  QUIT"])
    }

    @Test("BUG-06: an answer within the budget is received whole")
    func budget() {
        let network = Network()
        network.join()
        network.receive(":gifbot!~gifbot@\(String(repeating: "h", count: 63)) JOIN #cats")
        network.receive(":bo!b@h PRIVMSG #cats :!gif owl")
        let message = network.listener.messages[0]
        #expect(network.adapter.textBudget(for: message) == 415)
        let text = String(repeating: "x", count: 415)
        _ = network.adapter.send(Reply(kind: .answer, audience: .conversation, text: text, url: nil), to: message)
        #expect(network.link.sent() == ["PRIVMSG #cats :" + text])
    }

    @Test("BUG-14: forty channels, and PONG ahead of all that waits")
    func flood() {
        let network = Network { $0.channels = (0..<40).map { .init(name: "#channel-of-cats-\($0)") } }
        network.adapter.start()
        network.welcome()
        for _ in 0..<20 { network.clock.advance(by: .seconds(1)) }
        let joins = network.link.sent().filter { $0.hasPrefix("JOIN") }
        #expect(joins.count == 2)
        for index in 0..<40 { network.receive(":gifbot!~g@h JOIN #channel-of-cats-\(index)") }
        network.listener.answer = Reply(
            kind: .answer, audience: .conversation, text: String(repeating: "x", count: 400), url: nil)
        for index in 0..<30 { network.receive(":bo!b@h PRIVMSG #channel-of-cats-\(index % 3) :!gif \(index)") }
        _ = network.link.sent()
        network.receive("PING :now")
        #expect(network.link.sent() == ["PONG now"])
        for _ in 0..<60 { network.clock.advance(by: .seconds(1)) }
        #expect(network.link.sent().count < 20)
        #expect(network.sink.lines.contains { $0.contains("dropped") })
    }

    @Test func adminsAreKnownByAccount() {
        let network = Network({ $0.relays = ["Bridge"] }, people: IRCPeople(admins: ["Alice[1]", "bridge"]))
        network.adapter.start()
        network.link.open()
        network.receive(":irc.test CAP * LS :account-tag", ":irc.test CAP * ACK :account-tag")
        network.receive(":irc.test 001 gifbot :hi", ":irc.test 376 gifbot :end", ":gifbot!g@h JOIN #cats")
        network.receive(
            "@account=alice{1} :x!y@z PRIVMSG #cats :!gif owl", ":alice[1]!y@z PRIVMSG #cats :!gif owl",
            "@account=bridge :b!y@z PRIVMSG #cats :<ada> !gif owl")
        #expect(network.listener.messages.map(\.sender.isAdmin) == [true, false, false])
        #expect(
            network.listener.messages.map(\.sender.key) == ["account:alice{1}", "host:z", "relay:bridge/ada"])
    }

    @Test("Who is ignored stays so by mask, by nick, and by account under any nick")
    func ignored() {
        let network = Network(people: IRCPeople(admins: ["boss"], ignored: ["*!*@bots.test", "Troll[1]", "boss"]))
        network.adapter.start()
        network.link.open()
        network.receive(":irc.test CAP * LS :account-tag", ":irc.test CAP * ACK :account-tag")
        network.receive(":irc.test 001 gifbot :hi", ":irc.test 376 gifbot :end", ":gifbot!g@h JOIN #cats")
        network.receive(
            ":x!y@bots.test PRIVMSG #cats :!gif a", ":troll{1}!y@z PRIVMSG #cats :!gif b",
            "@account=troll{1} :other!y@z PRIVMSG #cats :!gif c", "@account=ada :ada!y@z PRIVMSG #cats :!gif d",
            "@account=boss :boss!y@bots.test PRIVMSG #cats :!gif e", ":boss!y@z PRIVMSG #cats :!gif f")
        #expect(network.listener.messages.map(\.text) == ["!gif d", "!gif e"], "an admin is heard, and no nick is one")
    }

    @Test("Nobody behind a relay is told alone: the relay's nick is another's")
    func relayed() {
        let network = Network { $0.relays = ["bridge"] }
        network.adapter.start()
        network.link.open()
        network.receive(":irc.test CAP * LS :account-tag", ":irc.test CAP * ACK :account-tag")
        network.receive(":irc.test 001 gifbot :hi", ":irc.test 376 gifbot :end", ":gifbot!g@h JOIN #cats")
        _ = network.link.sent()
        network.receive("@account=bridge :b!y@z PRIVMSG #cats :<ada> !gif owl")
        let message = network.listener.messages[0]
        #expect(
            network.adapter.send(Reply(kind: .notice, audience: .asker, text: "no", url: nil), to: message)
                == .refused("nobody behind a relay can be told alone"))
        _ = network.adapter.send(Reply(kind: .notice, audience: .conversation, text: "yes", url: nil), to: message)
        #expect(network.link.sent() == ["NOTICE #cats :yes"])
    }

    @Test func newSettingsWithoutANewConnection() {
        let network = Network()
        network.join()
        network.clock.advance(by: .seconds(30))
        network.adapter.update(
            settings: Network.settings { $0.channels = [.init(name: "#dogs")] },
            people: IRCPeople(ignored: ["bo!*@*"], triggers: ["?"]))
        #expect(network.link.sent() == ["PART #Cats", "JOIN #dogs"])
        network.receive(":gifbot!g@h JOIN #dogs", ":bo!b@h PRIVMSG #dogs :?gif owl", ":ada!b@h PRIVMSG #dogs :?gif owl")
        #expect(network.listener.messages.map(\.sender.name) == ["ada"])
        #expect(network.transport.endpoints.count == 1)
    }

    @Test("age_limit holds, and a reload changes it")
    func oldMessages() {
        let late = "@time=2027-01-15T07:55:00.000Z :bo!b@h PRIVMSG #cats :!gif "
        let network = Network(people: IRCPeople(ageLimit: .minutes(10)))
        network.adapter.start()
        network.welcome()
        network.receive("@time=2027-01-15T07:50:00.000Z :gifbot!g@h JOIN #cats")
        network.receive(late + "five minutes old")
        network.adapter.update(settings: Network.settings(), people: IRCPeople(ageLimit: .seconds(30)))
        network.receive(late + "too old now")
        #expect(network.listener.messages.map(\.text) == ["!gif five minutes old"])
    }

    @Test func goodbye() async {
        let network = Network()
        network.join()
        network.listener.answer = Self.answer
        for _ in 0..<8 { network.receive(":bo!b@h PRIVMSG #cats :!gif owl") }
        network.listener.answer = nil
        let stopped = Loop.start { await network.adapter.stop(by: network.clock.now.advanced(by: .seconds(8))) }
        for _ in 0..<100 where network.adapter.isOnline {
            await Loop.start {}.value
            network.clock.advance(by: .milliseconds(100))
        }
        let sent = network.link.sent()
        #expect(sent.filter { $0.hasPrefix("PRIVMSG") }.count == 6)
        #expect(sent.last == "QUIT stopping")
        network.receive(":bo!b@h PRIVMSG #cats :!gif owl", "ERROR :Closing Link")
        #expect(network.listener.messages.count == 8)
        for _ in 0..<5 {
            await Loop.start {}.value
            network.clock.advance(by: .milliseconds(100))
        }
        await stopped.value
        #expect(network.link.isClosed)
        #expect(network.clock.nextDue == nil)
    }
}
