import Foundation
import Testing

extension EndToEnd {
    /// The program as a service manager sees it.
    @Suite struct ProcessTests {
        typealias Stage = EndToEnd.IRC.Stage

        @Test(
            "BUG-30: SIGTERM finishes the answer in hand, says QUIT, ends with 0 within 8 s",
            arguments: [SIGTERM, SIGINT])
        func stop(signal: Int32) async throws {
            let stage = try await Stage("stop\(signal)")
            try await stage.giphy.fail("slow", seconds: 1)
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.say("!gif party", to: stage.channel)
                try await eventually("the search to begin") { try await !stage.giphy.searches.isEmpty }
                let began = ContinuousClock.now
                bot.program.signal(signal)
                #expect(try await bot.program.end(within: .seconds(8)) == 0)
                #expect(began.duration(to: .now) < .seconds(8))
                try await stage.peer.hear("QUIT") { $0.command == "QUIT" && $0.nick == stage.nick }
                #expect(stage.peer.messages(of: stage.nick).count == 1)
            }
            try await stage.giphy.reset()
        }

        @Test("BUG-30: a second SIGTERM ends at once with 1")
        func stopTwice() async throws {
            let stage = try await Stage("twice")
            try await stage.giphy.fail("hang")
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                stage.peer.say("!gif party", to: stage.channel)
                try await eventually("the search to begin") { try await !stage.giphy.searches.isEmpty }
                let lines = bot.program.errors.count
                bot.program.signal(SIGTERM)
                try await bot.logs("that it is stopping", from: lines) { _ in true }
                bot.program.signal(SIGTERM)
                #expect(try await bot.program.end(within: .seconds(3)) == 1)
            }
            try await stage.giphy.reset()
        }

        @Test("BUG-30: SIGTERM while the server holds registration ends with 0")
        func stopDuringRegistration() async throws {
            let mock = try await MockIRC(["--cookie", "never"])
            try mock.tell("mute")
            try await withBot(mockConfig(mock, port: mock.tlsPort)) { bot in
                try await eventually("a connection") { mock.connections > 0 }
                bot.program.signal(SIGTERM)
                #expect(try await bot.program.end(within: .seconds(8)) == 0)
            }
            try await mock.script.stop()
        }

        @Test func `a second instance on the same state ends with 1 and a sentence`() async throws {
            let stage = try await Stage("second")
            try await withBot(stage.config()) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                let other = try await gifbot(["run", "--config", bot.folder.path + "/bot.yaml"], in: bot.folder)
                #expect(other.code == 1)
                #expect(other.errors.contains { $0.contains("state") }, "\(other.errors)")
                #expect(bot.program.isRunning)
            }
        }

        @Test("BUG-29: a bad file at reload changes nothing, a good one does, and nobody leaves")
        func reload() async throws {
            let stage = try await Stage("reload")
            let good = stage.config()
            let changed = good.replacing("defaults: {", with: "defaults: {prefixes: [\"?\"], ")
            let bad: [(String, String)] = [
                ("a syntax error", good + "\n  - [\n"),
                ("an empty file", ""),
                ("half a file", String(changed.prefix(changed.count / 2))),
                ("an unknown rating", changed.replacing("defaults: {", with: "defaults: {rating: nine, ")),
            ]
            try await withBot(good) { bot in
                try await stage.peer.hearJoin(of: stage.nick)
                for (name, text) in bad {
                    let lines = bot.program.errors.count
                    try bot.rewrite(text)
                    bot.program.signal(SIGHUP)
                    try await bot.logs("a word about \(name)", from: lines) {
                        $0.contains("bot.yaml") || $0.lowercased().contains("reload")
                    }
                    let mark = stage.peer.mark
                    stage.peer.say("!gif party", to: stage.channel)
                    _ = try await stage.peer.answer(of: stage.nick, from: mark)
                }
                try bot.rewrite(changed)
                bot.program.signal(SIGHUP)
                var asked = 0
                try await eventually("an answer to the new prefix") {
                    asked += 1
                    let mark = stage.peer.mark
                    stage.peer.say("?gif new\(asked)", to: stage.channel)
                    return (try? await stage.peer.answer(of: stage.nick, from: mark, within: .seconds(1))) != nil
                }
                #expect(!stage.peer.lines.contains { $0.command == "QUIT" && $0.nick == stage.nick })
            }
        }

        @Test("BUG-31: reconnects of every failing kind leave no descriptors")
        func descriptors() async throws {
            let refusing = try await MockIRC()
            try refusing.tell("refuse Trying to reconnect too fast, throttled")
            let distrusted = try await MockIRC(["--cert", "selfsigned"])
            let dropping = try await MockIRC()
            let closed = try freePort()
            let quick = "reconnect: {first: 1s, longest: 1s}"
            func network(_ name: String, _ port: Int, _ mock: MockIRC) -> String {
                """
                  - name: \(name)
                    host: localhost
                    port: \(port)
                    tls: {ca_file: "\(mock.certificateAuthority)"}
                    nick: gifbot
                    \(quick)
                    channels: ["#cats"]
                """
            }
            let config = [
                Config.head(), "irc:", network("refusing", refusing.tlsPort, refusing),
                network("distrusted", distrusted.tlsPort, distrusted), network("closed", closed, refusing),
                network("dropping", dropping.tlsPort, dropping), "log: {level: info}",
            ].joined(separator: "\n")
            try await withBot(config) { bot in
                // The least over a round of tries: what is there when nothing is being tried.
                func least(after connections: Int) async throws -> Int {
                    var least = Int.max
                    try await eventually("\(connections) connections", within: .seconds(60)) {
                        try? dropping.tell("cut")
                        least = min(least, bot.program.descriptors)
                        return refusing.connections >= connections && dropping.connections >= connections
                    }
                    return least
                }
                _ = try await least(after: 2)
                let early = try await least(after: 5)
                let late = try await least(after: 10)
                #expect(late <= early)
                #expect(bot.program.errors.count < 200)
            }
            for mock in [refusing, distrusted, dropping] { try await mock.script.stop() }
        }
    }
}

/// A network on the scripted server, over TLS.
func mockConfig(_ mock: MockIRC, port: Int, authority: String? = nil, more: String = "") -> String {
    """
    \(Config.head())
    irc:
      - name: lab
        host: localhost
        port: \(port)
        tls: {ca_file: "\(authority ?? mock.certificateAuthority)"}
        nick: gifbot
        sasl: {mechanism: plain, username: gifbot, password: lab-secret}
        channels: ["#cats"]
        \(more)
    log: {level: debug}
    """
}

/// A port where nothing listens.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let done = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        }
    }
    guard done else { throw Trouble("no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
}
