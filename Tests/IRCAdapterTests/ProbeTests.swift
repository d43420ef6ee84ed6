import Base
import Chat
import IRC
import TestSupport
import Testing

@testable import IRCAdapter

@Suite("IRC adapter: a network is tried") @Loop
struct ProbeTests {
    private final class Result {
        var finding: Finding?
    }

    /// `play` is the server.
    private func probe(
        _ change: (inout IRCNetworkSettings) -> Void = { _ in }, _ play: (FakeLink) -> Void
    ) async -> (finding: Finding?, sent: [String]) {
        let transport = FakeTransport()
        let clock = ManualClock()
        let probe = IRCProbe(
            Network.settings(change), program: IRCProgram(), transport: transport, clock: clock,
            answered: AnsweredInMemory(), policies: MemoryPolicies(), log: Log("irc", to: RecordingLog()),
            random: { 1 })
        let result = Result()
        let task = Loop.start { result.finding = await probe.finding(within: .seconds(20)) }
        await Loop.start {}.value
        var sent: [String] = []
        if let link = transport.current {
            play(link)
            sent = link.sent()
        }
        for _ in 0..<100 where result.finding == nil {
            await Loop.start {}.value
            clock.advance(by: .seconds(1))
        }
        await task.value
        return (result.finding, sent)
    }

    private func say(_ lines: String..., on link: FakeLink) {
        for line in lines { link.receive(Array((line + "\r\n").utf8)) }
    }

    @Test("Under another nick, and in no channel")
    func registered() async {
        let (finding, sent) = await probe { link in
            link.open()
            say(":irc.test 001 gifbo_chk :hi", ":irc.test 376 gifbo_chk :end", on: link)
        }
        #expect(finding == Finding(isGood: true, "registered over TLS"))
        #expect(sent.contains("NICK gifbo_chk"), "\(sent)")
        #expect(!sent.contains { $0.hasPrefix("JOIN") })
    }

    private static func login(_ settings: inout IRCNetworkSettings) {
        settings.connection.login = .init(username: "user", password: Secret("pencil"))
    }

    @Test("A login that works, one that is refused, and one the server knows nothing of")
    func logins() async {
        let good = await probe(Self.login) { link in
            link.open()
            say(":irc.test CAP * LS :sasl", ":irc.test CAP * ACK :sasl", "AUTHENTICATE +", on: link)
            say(":irc.test 900 x x!x@x user :in", ":irc.test 903 x :good", on: link)
            say(":irc.test 001 gifbo_chk :hi", ":irc.test 376 gifbo_chk :end", on: link)
        }
        #expect(good.finding == Finding(isGood: true, "registered over TLS, logged in"))
        let refused = await probe(Self.login) { link in
            link.open()
            say(":irc.test CAP * LS :sasl", ":irc.test CAP * ACK :sasl", "AUTHENTICATE +", on: link)
            say(":irc.test 904 x :wrong password", on: link)
        }
        #expect(refused.finding?.isGood == false)
        #expect(refused.finding?.text.contains("wrong password") == true, "\(refused)")
        let unknown = await probe(Self.login) { link in
            link.open()
            say(":irc.test CAP * LS :server-time", ":irc.test CAP * ACK :server-time", on: link)
            say(":irc.test 001 gifbo_chk :hi", ":irc.test 376 gifbo_chk :end", on: link)
        }
        #expect(unknown.finding?.isGood == false, "\(unknown)")
    }

    @Test("Nobody there, and nobody who answers")
    func silent() async {
        let refused = await probe { $0.end(IRCLinkEnd(.failed, "connection refused")) }
        #expect(refused.finding == Finding(isGood: false, "connection refused"))
        let silent = await probe { $0.open() }
        #expect(silent.finding == Finding(isGood: false, "no welcome within 20 s"))
    }
}
