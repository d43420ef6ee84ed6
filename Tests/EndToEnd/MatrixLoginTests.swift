import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `gifbot login`, and what the bot does with the session: on a stand-in, since no packaged homeserver here has OAuth 2.0.
    @Suite struct MatrixLogin {
        private static func config(_ url: String, user: String) -> String {
            """
            \(Config.head())
            matrix:
              - {name: home, homeserver: "\(url)", user: "\(user)", encryption: false}
            search: {providers: [folder]}
            log: {level: debug}
            """
        }

        /// The program waits for a person, with the code it shows.
        private static func login(
            on server: OAuthHomeserver, in folder: TemporaryFolder
        ) async throws -> (program: Program, code: String) {
            try folder.write(config(server.url, user: server.user), to: "bot.yaml")
            let program = try Program(
                Places.gifbot(), ["login", "--config", folder.path + "/bot.yaml"], in: folder.path)
            let code = try await eventually("a code to enter\n\(program.tail)") {
                program.output.lines.compactMap { $0.firstMatch(of: /and enter the code (\S+)/)?.output.1 }.first
            }
            return (program, String(code))
        }

        private static func signedIn(on server: OAuthHomeserver) async throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            let (program, code) = try await login(on: server, in: folder)
            try await server.agree(to: code)
            #expect(try await program.end() == 0, "\(program.tail)")
            return folder
        }

        private static func waitUntilHeard(by server: OAuthHomeserver) async throws {
            try await eventually("the bot to listen") { try await server.state.syncs > 0 }
        }

        /// Says a command and waits for one more answer.
        private static func ask(_ server: OAuthHomeserver, _ words: String = "!gif party") async throws {
            let before = try await server.state.sent.count
            try await server.say(words)
            try await eventually("an answer to \(words)", within: .seconds(20)) {
                try await server.state.sent.count == before + 1
            }
        }

        @Test("A person agrees on a page; the bot runs with that session, over renewals, a kill and a lost answer")
        func wholeWay() async throws {
            let server = try await OAuthHomeserver(lifetime: 4)
            let folder = try TemporaryFolder()
            let (program, code) = try await Self.login(on: server, in: folder)
            #expect(program.output.contains("Open \(server.url)/link as \(server.user)"))
            #expect(program.output.contains("\(server.url)/link?code=\(code)"))
            try await eventually("the question to be put off") { try await server.state.polls.contains("slow_down") }
            try await server.agree(to: code)
            #expect(try await program.end() == 0, "\(program.tail)")
            #expect(program.output.contains("home is signed in"))
            let login = try await server.state
            #expect(
                Array(login.polls.prefix(2)) == ["authorization_pending", "slow_down"] && login.polls.last == "token")
            #expect(login.askedTooFast == 0 && login.registrations.count == 1)
            #expect(login.registrations[0]["client_name"].text == "gifbot")

            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state")
            let session = try #require(files.first { $0.hasPrefix("matrix-") })
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/state/" + session)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let tokens = try folder.read("state/" + session).split(whereSeparator: \.isWhitespace)
                .filter { $0.hasPrefix("mat_") }.map(String.init)
            #expect(tokens.count == 2)

            let config = Self.config(server.url, user: server.user)
            try await withBot(config, in: folder) { bot in
                try await Self.waitUntilHeard(by: server)
                try await Self.ask(server)
                try await eventually("two renewals", within: .seconds(20)) { try await server.state.refreshes >= 2 }
                try await server.loseRefresh()
                let refreshes = try await server.state.refreshes
                try await eventually("renewals after the lost one", within: .seconds(20)) {
                    try await server.state.refreshes >= refreshes + 3
                }
                try await Self.ask(server, "!gif cat")
                bot.program.signal(SIGKILL)
                try await bot.program.end()
                let said = (program.output.lines + program.errors.lines + bot.program.errors.lines).joined()
                #expect(!said.contains("mat_") && !said.contains("device_code"))
            }
            try await withBot(config, in: folder) { bot in
                try await Self.ask(server, "!gif happy")
                #expect(try await bot.stop() == 0)
            }
            let end = try await server.state
            #expect(end.sent.count == 3 && end.stale == 0 && end.registrations.count == 1)
            try await server.script.stop()
        }

        @Test("Whoever says no at the page ends it, with a sentence")
        func denied() async throws {
            let server = try await OAuthHomeserver()
            let (program, code) = try await Self.login(on: server, in: try TemporaryFolder())
            try await server.deny(code)
            #expect(try await program.end() == 1)
            #expect(program.errors.contains("the person at the page said no"))
            try await server.script.stop()
        }

        @Test("BUG-17: a session that was ended elsewhere stops the account with one line; a new login starts it again")
        func ended() async throws {
            let server = try await OAuthHomeserver()
            let folder = try await Self.signedIn(on: server)
            let config = Self.config(server.url, user: server.user)
            try await withBot(config, in: folder) { bot in
                try await Self.waitUntilHeard(by: server)
                try await Self.ask(server)
                try await server.forget()
                // The sync that is open doesn't notice.
                try await server.say("hello")
                try await bot.logs("that the account is stopped") { $0.contains("account is stopped") }
                #expect(bot.program.isRunning)
                #expect(try await bot.stop() == 0)
                #expect(bot.program.errors.lines.filter { $0.contains("account is stopped") }.count == 1)
            }
            let (program, code) = try await Self.login(on: server, in: folder)
            try await server.agree(to: code)
            #expect(try await program.end() == 0, "\(program.tail)")
            try await withBot(config, in: folder) { _ in try await Self.ask(server, "!gif cat") }
            try await server.script.stop()
        }

        @Test("Without a login, and where there is no OAuth 2.0, a sentence says what to do")
        func nothingToLogInWith() async throws {
            let server = try await OAuthHomeserver()
            try await withBot(Self.config(server.url, user: server.user)) { bot in
                try await bot.logs("what is missing") {
                    $0.contains("account is stopped") && $0.contains("gifbot login")
                }
                #expect(try await bot.stop() == 0)
            }
            try await server.script.stop()
            let synapse = try await Synapse.shared.get()
            let folder = try TemporaryFolder()
            try folder.write(Self.config(synapse.url, user: "@nobody:\(synapse.name)"), to: "bot.yaml")
            let (code, _, errors) = try await gifbot(["login", "--config", folder.path + "/bot.yaml"], in: folder)
            #expect(code == 1 && errors.contains { $0.contains("the homeserver has no OAuth 2.0") })
        }
    }
}
