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
}
