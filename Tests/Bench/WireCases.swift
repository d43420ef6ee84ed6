import IRC

enum WireCases {
    private static let command = Array(
        "@account=ada;time=2026-11-30T10:00:00.000Z :ada!~ada@user/ada PRIVMSG #cats :!gif party".utf8)
    private static let chatter = Array(
        ":bo!~bo@cloak.example.org PRIVMSG #cats :so I told them that it would never work like that\r\n".utf8)

    static func run(_ measure: Measure) {
        measure("irc: parse a line") { count in
            for _ in 0..<count { use(IRCMessage(parsing: command)) }
        }
        let answer = IRCMessage(
            "PRIVMSG",
            ["#cats", "Party Parrot — 480×270, 1.2 MB · GIPHY — https://media1.giphy.com/media/abc/giphy.gif"])
        measure("irc: encode a line") { count in
            for _ in 0..<count { use(answer.encoded()) }
        }
        var session = IRCSession(settings: IRCSettings(nick: "gifbot"), seed: 1, at: .now)
        let block = (0..<256).flatMap { _ in chatter }
        measure("irc: frame and drop a chat line") { count in
            var framer = LineFramer()
            var effects: [IRCSession.Effect] = []
            for _ in 0..<max(1, count / 256) {
                block.withUnsafeBytes { session.received($0, through: &framer, at: .now, wall: 0, &effects) }
            }
            use(effects)
        }
    }
}
