import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Logging in over verified TLS, by every mechanism that a server here offers.
    @Suite struct Login {
        /// One network, with this for TLS and login.
        private func config(port: Int, tls: String, sasl: String, nick: String, more: [String] = []) -> String {
            ([
                Config.head(), "irc:", "  - name: lab", "    host: localhost", "    port: \(port)", "    tls: {\(tls)}",
                "    nick: \(nick)", "    sasl: {\(sasl)}", "    flood_control: off", "    channels: [\"#\(nick)\"]",
            ] + more.map { "    " + $0 } + ["log: {level: debug}"]).joined(separator: "\n")
        }

        @Test(
            "C5, X4: InspIRCd with atheme, each mechanism by name, and auto",
            arguments: ["plain", "external", "ecdsa-nist256p-challenge", "auto"])
        func inspircd(mechanism: String) async throws {
            let server = try await InspIRCd.shared.get()
            let script = server.script
            let nick = "gif_in_" + mechanism.prefix(4)
            let peer = try await IRCPeer(nick: "see_\(mechanism.prefix(4))", port: server.plainPort)
            try await peer.join("#\(nick)")
            var tls = "ca_file: \"\(server.certificateAuthority)\""
            if mechanism != "plain", mechanism != "ecdsa-nist256p-challenge" {
                tls += ", client_certificate: \"\(script["CLIENT_CERT"])\", client_key: \"\(script["CLIENT_KEY"])\""
            }
            var sasl = "mechanism: \(mechanism), username: \(server.account)"
            if mechanism == "plain" || mechanism == "auto" { sasl += ", password: \"\(server.password)\"" }
            if mechanism.hasPrefix("ecdsa") || mechanism == "auto" { sasl += ", key_file: \"\(script["CLIENT_KEY"])\"" }
            try await withBot(config(port: server.tlsPort, tls: tls, sasl: sasl, nick: nick)) { bot in
                try await peer.hearJoin(of: nick)
                peer.send("WHOIS \(nick)")
                try await peer.hear("the account of the bot") {
                    $0.command == "330" && $0.parameters.contains(server.account)
                }
                #expect(try await bot.stop() == 0)
                #expect(!bot.program.errors.lines.contains { $0.contains(server.password) })
            }
        }

        @Test("the old way: NickServ is told the password, and the channel waits for its answer")
        func nickserv() async throws {
            let server = try await InspIRCd.shared.get()
            let peer = try await IRCPeer(nick: "see_ns", port: server.plainPort)
            try await peer.join("#oldway")
            let text = """
                \(Config.head())
                irc:
                  - name: lab
                    host: localhost
                    port: \(server.tlsPort)
                    tls: {ca_file: "\(server.certificateAuthority)"}
                    nick: \(server.account)
                    nickserv: {password: "\(server.password)", wait: 8s}
                    channels: ["#oldway"]
                log: {level: debug}
                """
            try await withBot(text) { bot in
                try await peer.hearJoin(of: server.account)
                let lines = bot.program.errors.lines
                let login = try #require(lines.firstIndex { $0.contains("logged in") })
                #expect(lines[login...].contains { $0.contains(" joined ") })
                #expect(!lines[..<login].contains { $0.contains(" joined ") })
                #expect(!lines.contains { $0.contains(server.password) })
            }
        }

        @Test("C8, S9: a wrong password is told as such, ends the connection, and is not tried again soon")
        func wrongPassword() async throws {
            let server = try await InspIRCd.shared.get()
            let sasl = "mechanism: plain, username: \(server.account), password: \"not the word\""
            let tls = "ca_file: \"\(server.certificateAuthority)\""
            let more = ["reconnect: {first: 1s, longest: 10m}"]
            let text = config(port: server.tlsPort, tls: tls, sasl: sasl, nick: "gif_wrong", more: more)
            try await withBot(text) { bot in
                try await bot.logs("that the login was refused") {
                    $0.contains("the server refuses our login") && $0.contains("again_in=600")
                }
                #expect(!bot.program.errors.lines.contains { $0.contains("not the word") })
            }
        }

        @Test("C8, C9: while services are away the bot waits for them, and logs in when they are back")
        func servicesAway() async throws {
            let server = try await InspIRCd()
            try await server.script.tell("stop-services")
            let sasl = "username: \(server.account), password: \"\(server.password)\""
            let tls = "ca_file: \"\(server.certificateAuthority)\""
            let more = ["reconnect: {first: 1s, longest: 2s}"]
            let text = config(port: server.tlsPort, tls: tls, sasl: sasl, nick: "gif_waits", more: more)
            try await withBot(text) { bot in
                // Up to half a minute: the server may still offer the login, and never answer.
                try await bot.logs("that there is no login", within: .seconds(60)) {
                    $0.contains("no connection") && $0.contains("login")
                }
                #expect(
                    !bot.program.errors.lines.contains { $0.contains("refuses our login") || $0.contains(" online ") })
                try await server.script.tell("start-services")
                try await bot.logs("that it is in", within: .seconds(60)) { $0.contains("joined") }
                #expect(bot.program.errors.lines.contains { $0.contains("logged in") })
            }
            try await server.script.stop()
        }

        @Test("C7: SCRAM-SHA-256, at both ends of what is accepted", arguments: [4_096, 600_000])
        func scram(iterations: Int) async throws {
            let mock = try await MockIRC(["--mechanisms", "PLAIN,SCRAM-SHA-256", "--iterations", "\(iterations)"])
            let sasl = "username: gifbot, password: \"lab-secret\""
            let tls = "ca_file: \"\(mock.certificateAuthority)\""
            let text = config(port: mock.tlsPort, tls: tls, sasl: sasl, nick: "cats")
            try await withBot(text) { _ in
                try await eventually("a JOIN") { mock.received.contains { $0.contains(" JOIN #cats") } }
                #expect(mock.received.contains { $0.contains("AUTHENTICATE SCRAM-SHA-256") })
                #expect(!mock.received.contains { $0.contains("AUTHENTICATE PLAIN") })
            }
            try await mock.script.stop()
        }

        @Test("C7: more iterations than are accepted end the login, and the password isn't shown instead")
        func tooMuchScram() async throws {
            let mock = try await MockIRC(["--mechanisms", "PLAIN,SCRAM-SHA-256", "--iterations", "600001"])
            let sasl = "username: gifbot, password: \"lab-secret\""
            let tls = "ca_file: \"\(mock.certificateAuthority)\""
            try await withBot(config(port: mock.tlsPort, tls: tls, sasl: sasl, nick: "cats")) { bot in
                try await bot.logs("the reason") { $0.contains("600001 iterations") }
                #expect(mock.received.contains { $0.hasSuffix("AUTHENTICATE *") })
                #expect(!mock.received.contains { $0.contains("AUTHENTICATE PLAIN") || $0.contains("JOIN") })
            }
            try await mock.script.stop()
        }

        @Test("X5: a plain port leads to TLS, and after a restart the bot goes there at once")
        func strictTransport() async throws {
            let mock = try await MockIRC(sts: true)
            let tls = "enabled: false, ca_file: \"\(mock.certificateAuthority)\""
            let text = config(
                port: mock.plainPort, tls: tls,
                sasl: "mechanism: scram-sha-256, username: gifbot, password: lab-secret",
                nick: "cats")
            let folder = try TemporaryFolder()
            for run in 1...2 {
                try await withBot(text, in: folder) { bot in
                    try await eventually("JOIN \(run)") {
                        mock.received.filter { $0.contains(" JOIN #cats") }.count == run
                    }
                    #expect(try await bot.stop() == 0)
                }
            }
            let connections = mock.received.filter { $0.contains(" (connected ") }.map { String($0.drop { $0 != "(" }) }
            #expect(connections.first == "(connected plain)")
            #expect(connections.count == 3)
            #expect(connections.dropFirst().allSatisfy { $0 == "(connected TLSv1.3)" }, "\(connections)")
            #expect(!mock.received.contains { $0.hasPrefix("1 ") && $0.contains("AUTHENTICATE") })
            try await mock.script.stop()
        }
    }
}
