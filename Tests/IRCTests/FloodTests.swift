import IRC
import Testing

@Suite("BUG-14: not thrown off for sending too much")
struct FloodTests {
    private static func settings(channels: [String]) -> IRCSettings {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = channels.map { IRCSettings.Channel($0) }
        return settings
    }

    @Test("a burst of five, then a line each two seconds")
    func pace() {
        var server = Server(Self.settings(channels: ["#cats"]))
        server.pass(.seconds(60))
        _ = server.sent()
        for number in 1...9 {
            _ = server.session.say("\(number)", to: "#cats", notice: false, at: server.now, &server.effects)
        }
        #expect(server.sent().count == 5)
        server.pass(.milliseconds(1999))
        #expect(server.sent().count == 0)
        server.pass(.milliseconds(1))
        #expect(server.sent().count == 1)
        server.pass(.seconds(6))
        #expect(server.sent() == ["PRIVMSG #cats :7", "PRIVMSG #cats :8", "PRIVMSG #cats :9"])
    }

    @Test("thirty long answers over three channels, with a PING in the middle")
    func longAnswers() {
        var server = Server(Self.settings(channels: ["#a", "#b", "#c"]))
        server.pass(.seconds(60))
        _ = server.sent()
        let text = String(repeating: "x", count: 380)
        for number in 0..<30 {
            let target = ["#a", "#b", "#c"][number % 3]
            #expect(server.session.say(text, to: target, notice: false, at: server.now, &server.effects) == .accepted)
        }
        // Bytes count too: of a line of 400 only three go at once.
        let burst = server.sent().count
        #expect(burst == 3)
        server.receive(["PING :now"])
        #expect(server.sent() == ["PONG now"])
        var dropped = 0
        server.pass(.seconds(120))
        for case .emit(.answersDropped(let count)) in server.effects { dropped += count }
        let later = server.sent().filter { $0.hasPrefix("PRIVMSG") }.count
        #expect(burst + later + dropped == 30)
        #expect(dropped > 5)
        #expect(server.session.queuedLines == 0)
    }

    @Test("S4: the queue is bounded for each channel, where the oldest makes room, and in all")
    func bound() {
        var server = Server(Self.settings(channels: ["#a", "#b", "#c", "#d", "#e"]))
        server.pass(.seconds(60))
        _ = server.sent()
        for number in 1...30 {
            let result = server.session.say("\(number)", to: "#a", notice: true, at: server.now, &server.effects)
            #expect(result == .accepted)
        }
        #expect(server.session.queuedLines == 16)
        #expect(server.effects.filter { $0 == .emit(.answersDropped(1)) }.count == 9)
        #expect(server.sent().last == "NOTICE #a :5")
        server.pass(.seconds(2))
        #expect(server.sent() == ["NOTICE #a :15"])
        let results = (0..<100).map { number in
            server.session.say(
                "x", to: ["#b", "#c", "#d", "#e"][number % 4], notice: true, at: server.now, &server.effects)
        }
        #expect(results.filter { $0 == .queueFull }.count >= 30)
        #expect(server.session.queuedLines == 64)
    }

    @Test("forty channels go in few lines, paced")
    func joins() {
        let names = (1...40).map { "#channel-with-a-long-name-\($0)" }
        var server = Server(Self.settings(channels: []))
        server.session.update(Self.settings(channels: names), at: server.now, &server.effects)
        server.pass(.seconds(20))
        let joins = server.sent()
        #expect(joins.count == 3)
        #expect(joins.allSatisfy { $0.hasPrefix("JOIN ") && $0.utf8.count <= 510 })
        #expect(joins.flatMap { $0.dropFirst(5).split(separator: ",") }.map { String($0) }.sorted() == names.sorted())
    }

    @Test("S5: who was asked for patience has it for ten minutes, and is then as quick as before")
    func patience() {
        var server = Server(Self.settings(channels: ["#cats"]))
        server.pass(.seconds(60))
        server.receive([":irc.test 439 gifbot #cats :Target change too fast"])
        func lines(_ server: inout Server, after wait: Duration) -> Int {
            server.effects.removeAll()
            for number in 1...7 {
                _ = server.session.say("\(number)", to: "#cats", notice: false, at: server.now, &server.effects)
            }
            server.effects.removeAll()
            server.pass(wait)
            return server.sent().filter { $0.hasPrefix("PRIVMSG") }.count
        }
        server.pass(.seconds(60))
        #expect(lines(&server, after: .seconds(4)) == 1)
        for _ in 0..<9 {
            server.pass(.seconds(60))
            server.receive(["PING :x"])
        }
        server.pass(.seconds(60))
        #expect(lines(&server, after: .seconds(4)) == 2)
    }

    @Test("off means off")
    func off() {
        var settings = Self.settings(channels: ["#cats"])
        settings.flood = nil
        var server = Server(settings)
        for _ in 0..<200 {
            #expect(server.session.say("x", to: "#cats", notice: false, at: server.now, &server.effects) == .accepted)
        }
        #expect(server.sent().count == 200)
    }

    @Test("QUIT doesn't wait")
    func quit() {
        var server = Server(Self.settings(channels: ["#cats"]))
        for _ in 0..<20 { _ = server.session.say("x", to: "#cats", notice: false, at: server.now, &server.effects) }
        _ = server.sent()
        server.session.quit("bye", at: server.now, &server.effects)
        #expect(server.sent() == ["QUIT bye"])
        server.pass(.seconds(4))
        #expect(server.effects == [.close(CloseReason(.asked, "no answer to QUIT"))])
    }
}
