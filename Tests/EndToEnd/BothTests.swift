import Foundation
import Testing

extension EndToEnd {
    /// One process, both protocols.
    @Suite struct Both {
        @Test func `IRC and Matrix are answered by one process, and the second asks nobody`() async throws {
            let irc = try await EndToEnd.IRC.Stage("both")
            let matrix = try await EndToEnd.Matrix.Stage("both")
            let config = """
                \(Config.head())
                irc:
                \(Config.irc(irc.server, nick: irc.nick, channels: [irc.channel]))
                matrix:
                  - name: home
                    homeserver: \(matrix.server.url)
                    user: "\(matrix.bot)"
                    password: \(matrix.local)
                    encryption: false
                    invites: {accept: anyone}
                \(Config.giphy(irc.giphy))
                """
            try await withBot(config) { bot in
                let room = try await matrix.room()
                try await irc.peer.hearJoin(of: irc.nick)
                irc.peer.say("!gif party", to: irc.channel)
                let line = try await irc.peer.answer(of: irc.nick, from: 0)
                try await matrix.peer.send("/gif party", to: room)
                let event = try await matrix.peer.waitForMessages(1, of: matrix.bot, in: room)[0]
                for text in [line.text, event.body] {
                    let answer = try Answer(text)
                    let header = try await answer.header()
                    #expect(header == GIFHeader(width: answer.width, height: answer.height))
                }
                #expect(try await bot.stop() == 0)
                try await irc.peer.hear("QUIT") { $0.command == "QUIT" && $0.nick == irc.nick }
            }
            #expect(try await irc.giphy.searches == ["party"])
        }
    }
}
