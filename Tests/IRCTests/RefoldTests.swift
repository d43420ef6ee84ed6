import IRC
import Testing

@Suite("BUG-08: the casemapping is told late")
struct RefoldTests {
    @Test func joinedStaysJoined() {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = [IRCSettings.Channel("#a[1]"), IRCSettings.Channel("#A{1}")]
        var server = Server(settings)
        server.receive([":irc.test 005 gifbot CASEMAPPING=ascii :are supported"])
        #expect(server.session.canonicalName("#A[1]") == "#a[1]")
        let result = server.session.say("x", to: "#A[1]", notice: false, at: server.now, &server.effects)
        #expect(result == .accepted)
    }
}
