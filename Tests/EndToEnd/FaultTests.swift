import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Sources and servers that misbehave.
    @Suite struct Faults {
        static let key = "K3Y%2Fsecret/1"
        /// The key as it is, and every way it may have been escaped.
        static let spellings = [
            key, "K3Y%252Fsecret%2F1", "K3Y%252Fsecret/1", "K3Y/secret/1", "K3Y%2Fsecret%2F1", "K3Y%252fsecret",
        ]
        static let giphy = Shared { try await FakeGiphy(key: key) }

        /// A console room with the key and the most talkative log; returns what was said.
        func chat(base: String, _ words: [String], trust: String? = nil) async throws -> (
            output: [String], errors: [String]
        ) {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                \(Config.head())
                search:
                  providers: [giphy]
                  giphy: {key: "\(Self.key)", base_url: "\(base)"}
                log: {level: debug}
                """, to: "bot.yaml")
            let done = try await gifbot(
                ["chat", "--config", folder.path + "/bot.yaml"], input: words.map { "!gif \($0)" }, in: folder)
            #expect(done.code == 0, "\(done.errors)")
            return (done.output, done.errors)
        }

        static let kinds = [
            "limited", "limited_message", "banned", "key_refused", "synthetic", "inner_limited", "html",
            "bad_gateway", "bad_json", "error", "drop", "redirect_host", "redirect_http", "huge",
        ]

        @Test("BUG-20, BUG-32: a source that fails gets one sentence and the key stays hidden", arguments: kinds)
        func failing(kind: String) async throws {
            let giphy = try await Self.giphy.get()
            try await giphy.reset()
            try await giphy.fail(kind)
            let said = try await chat(base: giphy.url, ["party"])
            #expect(try await !giphy.searches.isEmpty, "nothing was asked: \(said.errors)")
            #expect(!said.output.contains { $0.contains("GIPHY — http") }, "\(said.output)")
            #expect(said.output.contains { !$0.trimmingCharacters(in: .whitespaces).isEmpty }, "silence")
            #expect(!said.output.contains { $0.lowercased().contains("nothing found") }, "\(said.output)")
            for spelling in Self.spellings {
                #expect(!(said.output + said.errors).contains { $0.contains(spelling) }, "\(spelling) is shown")
            }
            #expect(try await giphy.requests.allSatisfy { $0.server == "giphy" }, "the key went elsewhere")
        }

        @Test("BUG-32: neither look-up, nor TLS, nor a closed port show the key")
        func unreachable() async throws {
            let mock = try await MockIRC()
            for base in [
                "https://giphy.invalid", "https://localhost:\(mock.tlsPort)", "https://localhost:\(mock.plainPort)",
                "http://127.0.0.1:\(try freePort())",
            ] {
                let said = try await chat(base: base, ["party"])
                for spelling in Self.spellings {
                    #expect(!(said.output + said.errors).contains { $0.contains(spelling) }, "\(base)")
                }
            }
            try await mock.script.stop()
        }

        @Test("BUG-32: the right key is sent as it is")
        func keyArrives() async throws {
            let giphy = try await Self.giphy.get()
            try await giphy.reset()
            let said = try await chat(base: giphy.url, ["party"])
            #expect(said.output.contains { $0.contains("GIPHY") }, "\(said.output) \(said.errors)")
            #expect(try await giphy.requests.first?.query["api_key"] == Self.key)
            for spelling in Self.spellings {
                #expect(!(said.output + said.errors).contains { $0.contains(spelling) })
            }
        }

        @Test("BUG-21: one good item among broken ones is found")
        func oddItems() async throws {
            let giphy = try await Self.giphy.get()
            try await giphy.reset()
            try await giphy.fail("odd")
            let said = try await chat(base: giphy.url, ["party"])
            #expect(said.output.contains { $0.contains("Good one among odd ones") }, "\(said.output) \(said.errors)")
        }

        @Test("BUG-21: no list is no result, and no error", arguments: ["empty", "data_null", "data_object"])
        func noResults(kind: String) async throws {
            let giphy = try await Self.giphy.get()
            try await giphy.reset()
            try await giphy.fail(kind)
            let said = try await chat(base: giphy.url, ["party"])
            #expect(said.output.count == 1, "\(said.output)")
            #expect(!said.output.contains { $0.contains("http") })
        }

        @Test("BUG-23: nothing suitable is another sentence than nothing found")
        func unsuitable() async throws {
            let giphy = try await Self.giphy.get()
            try await giphy.reset()
            let none = try await chat(base: giphy.url, ["nothing"])
            try await giphy.fail("only_r")
            let unsuitable = try await chat(base: giphy.url, ["party"])
            #expect(none.output.count == 1 && unsuitable.output.count == 1)
            #expect(none.output != unsuitable.output)
        }

        static let certificates = [
            ("expired", "2020-01-01"), ("wronghost", "other.invalid"), ("selfsigned", "sign"),
            ("tomorrow", "valid from"),
        ]

        @Test("BUG-33: no certificate, no password: the log has host and reason", arguments: certificates)
        func certificate(kind: String, reason: String) async throws {
            let mock = try await MockIRC(["--cert", kind])
            try await withBot(mockConfig(mock, port: mock.tlsPort)) { bot in
                try await bot.logs("the reason, as in: \(reason)") {
                    let line = $0.lowercased()
                    return line.contains("localhost") && line.contains("certificate") && line.contains(reason)
                }
                #expect(!mock.received.contains { $0.contains("NICK") || $0.contains("AUTHENTICATE") })
                #expect(!mock.received.contains { $0.contains("(connected plain)") })
                #expect(bot.program.isRunning)
            }
            try await mock.script.stop()
        }

        @Test("BUG-33: an authority that did not sign it is no reason to trust")
        func wrongAuthority() async throws {
            let mock = try await MockIRC()
            let other = try await MockIRC()
            try await withBot(mockConfig(mock, port: mock.tlsPort, authority: other.certificateAuthority)) { bot in
                try await bot.logs("the reason") { $0.contains("localhost") && $0.lowercased().contains("certificate") }
                #expect(!mock.received.contains { $0.contains("NICK") || $0.contains("(connected plain)") })
            }
            for one in [mock, other] { try await one.script.stop() }
        }

        @Test("BUG-33: a plain server on the TLS port gets no password")
        func plainServer() async throws {
            let mock = try await MockIRC(["--banner", ":irc.mock.test NOTICE * :*** Looking up your hostname"])
            try await withBot(mockConfig(mock, port: mock.plainPort)) { bot in
                try await bot.logs("a word about TLS") { $0.contains("localhost") && $0.contains("TLS") }
                #expect(!mock.received.contains { $0.contains(" NICK ") || $0.contains("AUTHENTICATE") })
            }
            try await mock.script.stop()
        }

        @Test("BUG-09: a PING before the welcome is answered at once, with nothing before its time")
        func cookie() async throws {
            let mock = try await MockIRC(["--cookie", "28262502"])
            try await withBot(mockConfig(mock, port: mock.tlsPort)) { _ in
                try await eventually("a JOIN") { mock.received.contains { $0.contains(" JOIN #cats") } }
                let lines = mock.received.map { $0.drop { $0 != " " }.dropFirst() }
                let welcome = try #require(lines.firstIndex { $0 == "(welcomed)" })
                #expect(lines[..<welcome].contains { $0.hasPrefix("PONG") && $0.hasSuffix("28262502") })
                #expect(!lines[..<welcome].contains { $0.hasPrefix("JOIN") || $0.hasPrefix("PING") })
            }
            try await mock.script.stop()
        }

        @Test("BUG-11: a throttle is not answered with a storm")
        func throttle() async throws {
            let mock = try await MockIRC()
            try mock.tell("refuse Trying to reconnect too fast, throttled")
            let more = "reconnect: {first: 1s, longest: 1m}"
            try await withBot(mockConfig(mock, port: mock.tlsPort, more: more)) { bot in
                let began = ContinuousClock.now
                try await eventually("three tries", within: .seconds(60)) { mock.connections >= 3 }
                // The first wait is doubled by the throttle, and again for the next: 1.3 s and 2.6 s at the least.
                #expect(began.duration(to: .now) > .milliseconds(2_500))
                #expect(bot.program.isRunning)
            }
            try await mock.script.stop()
        }
    }
}
