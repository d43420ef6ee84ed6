import IRC
import Testing

@Suite("New settings without a new connection")
struct UpdateTests {
    @Test func channelsAndIgnored() {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = [IRCSettings.Channel("#old"), IRCSettings.Channel("#Kept")]
        var server = Server(settings)
        settings.channels = [IRCSettings.Channel("#kept"), IRCSettings.Channel("#new", key: "k")]
        settings.ignored = [Mask("bo!*@*")]
        settings.triggers = ["?"]
        server.session.update(settings, at: server.now, &server.effects)
        server.pass(.seconds(10))
        #expect(server.sent() == ["PART #old", "JOIN #new k"])
        server.receive([":bo!b@h PRIVMSG #kept :?gif owl", ":ada!a@h PRIVMSG #kept :!gif owl"])
        #expect(server.effects.isEmpty)
        server.receive([":ada!a@h PRIVMSG #kept :?gif owl"])
        #expect(server.effects.count == 1)
    }

    @Test("a thousand channels that are wanted no more are left, in few lines and paced, however few a line may name")
    func leavesThousand() {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = (1...1000).map { IRCSettings.Channel("#channel-\($0)") }
        for limit in ["X=1", "MAXTARGETS=4", "TARGMAX=PART:20,JOIN:4", "LINELEN=200"] {
            var server = Server(settings, lines: [":irc.test 005 gifbot \(limit) :are supported"])
            server.pass(.seconds(60))
            server.effects.removeAll()
            server.session.update(IRCSettings(nick: "gifbot"), at: server.now, &server.effects)
            let atOnce = server.effects.count
            for _ in 0..<20 {
                server.pass(.seconds(60))
                server.receive(["PING :x"])
            }
            let parts = server.sent().filter { $0.hasPrefix("PART ") }
            let names = parts.map { $0.dropFirst(5).split(separator: ",").map { String($0) } }
            #expect(Set(names.joined()) == Set(settings.channels.map(\.name)))
            #expect(names.joined().count == 1000)
            #expect(atOnce <= 6)
            let most = limit == "MAXTARGETS=4" ? 4 : limit.hasPrefix("TARGMAX") ? 20 : 100
            #expect(names.allSatisfy { $0.count <= most })
            #expect(parts.allSatisfy { $0.utf8.count <= (limit == "LINELEN=200" ? 198 : 510) })
        }
    }

    @Test(
        "H1: a key that was put right is tried at once, whether the channel waits or was given up",
        arguments: [true, false])
    func corrected(comesBack: Bool) {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = [IRCSettings.Channel("#a", key: "old"), IRCSettings.Channel("#b", key: "b")]
        settings.flood = nil
        if !comesBack { settings.rejoin = nil }
        var server = Server(settings)
        // Put out and refused again and again, so that the next try is far away.
        for _ in 0..<6 {
            server.receive([":op!o@h KICK #a gifbot :bye", ":op!o@h KICK #b gifbot :bye"])
            server.receive([":irc.test 475 gifbot #a :bad key", ":irc.test 475 gifbot #b :bad key"])
            server.pass(.seconds(1))
        }
        _ = server.sent()
        server.session.update(settings, at: server.now, &server.effects)
        #expect(server.sent() == [])
        settings.channels[0].key = "new"
        server.session.update(settings, at: server.now, &server.effects)
        #expect(server.sent() == ["JOIN #a new"])
        // What came before no longer counts.
        server.receive([":irc.test 475 gifbot #a :bad key"])
        _ = server.sent()
        server.pass(.seconds(90))
        #expect(server.sent().contains("JOIN #a new") == comesBack)
    }
}
