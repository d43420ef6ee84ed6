import Testing

@testable import IRC

@Suite("Why a server closes the connection")
struct CloseReasonTests {
    @Test(
        "S6, S8, S9, S10: the text of ERROR decides",
        arguments: [
            ("Trying to reconnect too fast.", CloseReason.Kind.throttled),
            ("Closing link: (gifbot@127.0.0.1) [Throttled: trying to reconnect too fast]", .throttled),
            ("Closing Link: h (Trying to reconnect too fast, throttled, or you will be banned)", .throttled),
            ("Closing Link: h (Too many host connections (global))", .throttled),
            ("Your host is trying to (re)connect too fast -- throttled", .throttled),
            ("Closing Link: h (Excess Flood)", .throttled),
            ("Closing link: (gifbot@h) [RecvQ exceeded]", .throttled),
            ("Closing Link: h (No more connections allowed in your connection class)", .throttled),
            ("Closing link: (gifbot@127.0.0.1) [K-lined: no bots]", .banned),
            ("Closing Link: 127.0.0.1 (Temporary K-line 10 min. - no bots)", .banned),
            ("Closing Link: 127.0.0.1 (Connection rejected - banned from server)", .banned),
            ("Closing Link: h (K-Lined)", .banned),
            ("Closing link: (g@h) [Z-lined: connecting too fast]", .banned),
            ("Closing Link: h (User has been banned from LabNet (*@h))", .banned),
            ("Closing Link: h (AKILL ID: 1)", .banned),
            ("Closing Link: h (User has been AKILLed)", .banned),
            ("Closing Link: h (Autokilled: spam)", .banned),
            ("You have been auto-killed, mail bans@lab.test", .banned),
            ("Closing link: (g@h) [R-lined: no clones]", .banned),
            ("Closing Link: h (X-lined)", .banned),
            ("Closing Link: [h] (Global Zapline: user has been GZ-lined)", .banned),
            ("Closing Link: h (Flood from unknown connection)", .throttled),
            ("Sorry, your class is full - try later", .throttled),
            ("All connections in use", .throttled),
            ("Closing Link: gifbot[h] oper (Killed (oper (spam)))", .killed),
            ("Closing Link: gifbot[h] services.lab (Killed (services.lab (GHOST command used by bo)))", .killed),
            ("Closing link: (gifbot@h) [Killed (oper (banned words))]", .killed),
            ("Closing Link: gifbot (Ping timeout)", .normal),
            ("Closing link: (gifbot@h) [Server shutdown]", .normal),
            ("read: deadline exceeded", .normal),
            ("Closing Link: h (unbanned, come back)", .normal),
            ("*** You are exempt from K/D/G lines", .normal),
            ("", .normal),
        ])
    func texts(text: String, kind: CloseReason.Kind) {
        #expect(CloseReason(serverText: text, beforeWelcome: true).kind == kind)
        #expect(CloseReason(serverText: text, beforeWelcome: false).kind == kind)
    }

    @Test(
        "C11: before the welcome a word about passwords is a failed login",
        arguments: ["Access denied: Bad password?", "Closing Link: h (SASL access only)", "Password mismatch"])
    func logins(text: String) {
        #expect(CloseReason(serverText: text, beforeWelcome: true).kind == .loginFailed)
        #expect(CloseReason(serverText: text, beforeWelcome: false).kind == .normal)
    }
}
