import Base
import Chat
import IRC
import TestSupport
import Testing

@testable import IRCAdapter

/// Where other bots speak when they should not, row by row: old messages, other bots, their own words, and servers that
/// don't want them.
@Suite("IRC adapter: when to keep quiet") @Loop
struct QuietTests {
    private static let answer = Reply(kind: .answer, audience: .conversation, text: "Owl", url: nil)

    private static func network() -> Network {
        let network = Network { $0.connection.flood = nil }
        network.listener.answer = answer
        network.adapter.start()
        network.link.open()
        let capabilities = "batch echo-message message-tags server-time"
        network.receive(":irc.test CAP * LS :\(capabilities)", ":irc.test CAP * ACK :\(capabilities)")
        network.receive(
            ":irc.test 001 gifbot :hi", ":irc.test 005 gifbot BOT=B :are supported", ":irc.test 376 gifbot :end",
            ":gifbot!~gifbot@host JOIN #cats")
        return network
    }

    @Test("a live message is answered, and the bot's mark is set")
    func live() {
        let network = Self.network()
        #expect(network.link.sent().contains("MODE gifbot +B"))
        network.receive(":bo!b@h PRIVMSG #cats :!gif owl")
        #expect(network.link.sent() == ["PRIVMSG #cats :Owl"])
    }

    @Test(
        "T1 to T4: never an answer",
        arguments: [
            ["@time=2019-01-01T00:00:00.000Z :bo!b@h PRIVMSG #cats :!gif owl"],
            ["@time=2019-01-01T00:00:00.000Z :bo!b@h PRIVMSG gifbot :!gif owl"],
            [":s BATCH +1 chathistory #cats", "@batch=1 :bo!b@h PRIVMSG #cats :!gif owl", ":s BATCH -1"],
            [":s BATCH +1 znc.in/playback #cats", "@batch=1 :bo!b@h PRIVMSG #cats :!gif owl", ":s BATCH -1"],
            [":s BATCH +1 example.org/playback #cats", "@batch=1 :bo!b@h PRIVMSG #cats :!gif owl", ":s BATCH -1"],
            [":s BATCH +1 example.org/new #cats", "@batch=1 :bo!b@h PRIVMSG #cats :!gif owl", ":s BATCH -1"],
            [
                ":s BATCH +1 chathistory #cats", "@batch=1 :s BATCH +2 draft/multiline #cats",
                "@batch=2 :bo!b@h PRIVMSG #cats :!gif owl", "@batch=1 :s BATCH -2", ":s BATCH -1",
            ],
            [":***!znc@znc.in PRIVMSG #cats :Buffer Playback...", ":bo!b@h PRIVMSG #cats :!gif owl"],
            [":s NOTICE #cats :Replaying up to 10 lines", ":bo!b@h PRIVMSG #cats :!gif owl"],
            ["@bot :helper!b@h PRIVMSG #cats :!gif owl"], ["@inspircd.org/bot :helper!b@h PRIVMSG #cats :!gif owl"],
            [":bo!b@h NOTICE #cats :!gif owl"], [":bo!b@h NOTICE gifbot :!gif owl"],
            [":gifbot!~gifbot@host PRIVMSG #cats :!gif owl"], [":GIFBOT!x@y PRIVMSG #cats :!gif owl"],
            ["@label=x;msgid=y :gifbot!~gifbot@host PRIVMSG #cats :!gif owl"], [":irc.test PRIVMSG #cats :!gif owl"],
            [":bo!b@h PRIVMSG #cats :\u{1}ACTION !gif owl\u{1}"],
        ])
    func silent(lines: [String]) {
        let network = Self.network()
        _ = network.link.sent()
        network.link.receive(Array(lines.map { $0 + "\r\n" }.joined().utf8))
        #expect(network.link.sent() == [])
        #expect(network.listener.messages.isEmpty)
    }

    @Test(
        "S7 to S9: how often we come in two hundred seconds, to a server that doesn't want us",
        arguments: [
            ("ERROR :Closing Link: gifbot[127.0.0.1] (Trying to reconnect too fast.)", 6),
            ("ERROR :Closing Link: gifbot (K-Lined)", 1), ("", 7),
        ])
    func unwanted(words: String, most: Int) {
        let network = Network()
        network.adapter.start()
        let end = network.clock.now.advanced(by: .seconds(200))
        while network.clock.now < end {
            if words.isEmpty {
                network.link.end(.init(.failed, "connection refused"))
            } else {
                network.link.open()
                network.receive(words)
            }
            _ = network.waitForAttempt()
        }
        #expect(network.transport.endpoints.count - 1 <= most)
    }
}
