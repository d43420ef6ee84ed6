import Base
import IRC
import OpenSSL
import Testing

@testable import IRCAdapter

@Suite("IRC adapter: logins in the config")
struct LoginConfigTests {
    private struct Decoded {
        var settings: IRCNetworkSettings?
        var faults: [String]
        var warnings: [String]
        var secrets: [Secret]
    }

    /// An entry with these keys besides name and host. A value in braces is a mapping of words.
    private func decode(_ entries: [(String, ConfigNode)]) throws -> Decoded {
        let all = [("name", Self.text("x"))] + entries
        let node = ConfigNode(
            .map(all.map { (key: ConfigNode.ConfigKey(name: $0.0, place: ConfigTests.place), value: $0.1) }),
            at: ConfigTests.place)
        let context = ConfigContext(
            folder: "/etc", environment: { _ in nil },
            readFile: { (path) throws(ConfigFileError) in
                guard path == "/etc/key.pem" else { throw ConfigFileError(reason: "no such file") }
                return LoginTests.key + "\n"
            })
        let map = try #require(ConfigMap(node, path: "irc[0]", in: context))
        let settings = IRCNetworkSettings.decode(map)?.settings
        map.finish()
        return Decoded(
            settings: settings, faults: context.faults.map { "\($0.path): \($0.message)" },
            warnings: context.warnings.map { "\($0.path): \($0.message)" }, secrets: context.secrets)
    }

    private static func text(_ text: String) -> ConfigNode { ConfigTests.text(text) }

    private static func words(_ entries: KeyValuePairs<String, String>) -> ConfigNode {
        ConfigNode(
            .map(
                entries.map {
                    (key: ConfigNode.ConfigKey(name: $0.key, place: ConfigTests.place), value: text($0.value))
                }), at: ConfigTests.place)
    }

    private static let host = ("host", text("irc.example.test"))
    private static let plainText = ("tls", words(["enabled": "false"]))
    private static let certificate = ("tls", words(["client_certificate": "bot.pem"]))

    @Test("C5: auto takes what there are means for, the strongest first")
    func auto() throws {
        let password = ("sasl", Self.words(["username": "u", "password": "p"]))
        var decoded = try decode([Self.host, password])
        #expect(decoded.faults == [])
        #expect(decoded.settings?.connection.login?.mechanisms == [.scramSHA256, .plain])
        decoded = try decode([Self.host, Self.certificate, ("sasl", Self.words(["mechanism": "Auto"]))])
        #expect(decoded.faults == [])
        #expect(decoded.settings?.connection.login?.mechanisms == [.external])
        let all = ("sasl", Self.words(["username": "u", "password": "p", "key_file": "key.pem"]))
        decoded = try decode([Self.host, Self.certificate, all])
        #expect(decoded.faults == [])
        #expect(decoded.settings?.connection.login?.mechanisms == [.external, .ecdsa, .scramSHA256, .plain])
        #expect(decoded.settings?.connection.login?.key?.value == LoginTests.key)
        #expect(decoded.secrets.map(\.value) == ["p", LoginTests.key])
    }

    @Test(
        "C5: a mechanism that was named stands alone, in any letter case",
        arguments: [
            ("PLAIN", SASLMechanism.plain), ("scram-sha-256", .scramSHA256), ("SCRAM-SHA-256", .scramSHA256),
            ("External", .external), ("ECDSA-NIST256P-CHALLENGE", .ecdsa),
        ])
    func named(word: String, mechanism: SASLMechanism) throws {
        let sasl = Self.words(["mechanism": word, "username": "u", "password": "p", "key_file": "key.pem"])
        let decoded = try decode([Self.host, Self.certificate, ("sasl", sasl)])
        #expect(decoded.faults == [])
        #expect(decoded.settings?.connection.login?.mechanisms == [mechanism])
    }

    @Test("SASLprep isn't done: SCRAM refuses what would need it, auto goes on without SCRAM and says so")
    func otherCharacters() throws {
        for (name, password, key) in [("u", "pässword", "password"), ("ü", "p", "username"), ("u", "a\tb", "password")]
        {
            let pair: KeyValuePairs = ["mechanism": "scram-sha-256", "username": name, "password": password]
            let named = try decode([Self.host, ("sasl", Self.words(pair))])
            #expect(named.settings?.connection.login == nil)
            #expect(named.faults.count == 1)
            #expect(
                named.faults.first?.hasPrefix("irc[0].sasl.\(key): scram-sha-256 takes only printable ASCII") == true)
            let auto = try decode([Self.host, ("sasl", Self.words(["username": name, "password": password]))])
            #expect(auto.faults == [])
            #expect(auto.settings?.connection.login?.mechanisms == [.plain])
            #expect(auto.warnings.first?.hasPrefix("irc[0].sasl.\(key): scram-sha-256 is not used") == true)
            #expect(!(named.faults + auto.warnings).contains { $0.contains(password) && password != "p" })
        }
    }

    @Test("what is missing or can't be is told once, with its key")
    func faults() throws {
        let table: [([(String, ConfigNode)], String)] = [
            ([("sasl", Self.words(["mechanism": "plain", "username": "u"]))], "sasl.password: missing"),
            ([("sasl", Self.words(["mechanism": "scram-sha-256", "username": "u"]))], "sasl.password: missing"),
            ([("sasl", Self.words(["username": "u"]))], "sasl.password: missing: expected a password, a key_file, or"),
            ([("sasl", Self.words(["password": "p"]))], "sasl.username: missing"),
            (
                [("sasl", Self.words(["mechanism": "external", "username": "u"]))],
                "sasl.mechanism: external needs tls, with a client_certificate"
            ),
            (
                [("sasl", Self.words(["mechanism": "ecdsa-nist256p-challenge", "username": "u"]))],
                "sasl.key_file: missing"
            ),
            ([("sasl", Self.words(["username": "u", "key_file": "none.pem"]))], "sasl.key_file: can't read"),
            (
                [("sasl", Self.words(["username": "u", "key": "k", "password": "p"]))],
                "sasl.key: expected a private key"
            ),
            (
                [("sasl", Self.words(["username": "u\u{0}", "password": "p"]))],
                "sasl.username: neither name nor password"
            ),
            ([("sasl", Self.words(["usrname": "u", "password": "p"]))], "sasl.username: missing"),
        ]
        for (entries, fault) in table {
            let decoded = try decode([Self.host] + entries)
            #expect(decoded.faults.first?.hasPrefix("irc[0]." + fault) == true, "\(fault): \(decoded.faults)")
        }
    }

    @Test("PLAIN without TLS is a fault except on this machine; what keeps the password safe is only warned about")
    func withoutTLS() throws {
        for (host, isFault) in [
            ("irc.example.test", true), ("127.0.0.1", false), ("127.1.2.3", false), ("localhost", false),
            ("::1", false),
            ("127.0.0.1.example.test", true), ("127.evil.test", true), ("localhost.example.test", true),
        ] {
            for mechanism in ["auto", "plain"] {
                let sasl = Self.words(["mechanism": mechanism, "username": "u", "password": "p"])
                let decoded = try decode([("host", Self.text(host)), Self.plainText, ("sasl", sasl)])
                #expect(decoded.faults.count == (isFault ? 1 : 0), "\(host) \(mechanism)")
            }
            let sasl = Self.words(["mechanism": "scram-sha-256", "username": "u", "password": "p"])
            let decoded = try decode([("host", Self.text(host)), Self.plainText, ("sasl", sasl)])
            #expect(decoded.faults == [])
            #expect(decoded.warnings.count == (isFault ? 1 : 0))
        }
        let external = try decode([
            Self.host, ("tls", Self.words(["enabled": "false", "client_certificate": "c.pem"])),
            ("sasl", Self.words(["mechanism": "external"])),
        ])
        #expect(external.faults.count == 1)
    }

    @Test("NickServ and its wait")
    func nickserv() throws {
        var decoded = try decode([Self.host, ("nickserv", Self.words(["password": "n"]))])
        #expect(decoded.settings?.connection.nickserv == .init(password: Secret("n"), wait: .seconds(10)))
        decoded = try decode([Self.host, ("nickserv", Self.words(["password": "n", "wait": "3s"]))])
        #expect(decoded.settings?.connection.nickserv?.wait == .seconds(3))
        #expect(decoded.faults == [])
    }

    @Test("X5: what is set for TLS holds for the day on which it is demanded")
    func plainNetwork() throws {
        let pin = String(repeating: "AB", count: 32)
        let decoded = try decode([Self.host, ("tls", Self.words(["enabled": "false", "fingerprint": pin]))])
        #expect(decoded.faults == [])
        #expect(decoded.settings?.connection.endpoint.tls == nil)
        #expect(decoded.settings?.connection.endpoint.port == 6667)
        #expect(decoded.settings?.connection.endpoint.tlsWhenDemanded.pins.count == 1)
    }

    @Test("only what belongs to the connection needs a new one")
    func reconnect() throws {
        let old = Network.settings()
        let needs: [(inout IRCNetworkSettings) -> Void] = [
            { $0.connection.endpoint.host = "other.test" }, { $0.connection.endpoint.port = 7000 },
            { $0.connection.endpoint.tls = nil }, { $0.connection.endpoint.tls?.verifies = false },
            { $0.connection.endpoint.tls?.caFile = "/ca" }, { $0.connection.endpoint.tls?.clientCertificate = "/c" },
            { $0.connection.endpoint.tls?.clientKey = "/k" },
            { $0.connection.endpoint.tls?.pins = [Fingerprint(String(repeating: "AB", count: 32))!] },
            { $0.connection.endpoint.tlsWhenDemanded.caFile = "/ca" }, { $0.connection.endpoint.proxy = "http://p" },
            { $0.connection.endpoint.bindAddress = "lo" }, { $0.connection.nick = "other" },
            { $0.connection.alternativeNicks = ["other"] }, { $0.connection.username = "other" },
            { $0.connection.realname = "other" }, { $0.connection.password = Secret("p") },
            { $0.connection.login = .init(username: "u", password: Secret("p")) },
            { $0.connection.nickserv = .init(password: Secret("p")) }, { $0.connection.flood = nil },
        ]
        for (index, change) in needs.enumerated() {
            #expect(Network.settings(change).needsNewSession(comparedTo: old), "\(index)")
        }
        let login = { @Sendable (change: (inout IRCNetworkSettings.Login) -> Void) in
            Network.settings {
                $0.connection.login = .init(username: "u", password: Secret("p"))
                change(&$0.connection.login!)
            }
        }
        let before = login { _ in }
        for (index, after) in [
            login { $0.username = "v" }, login { $0.password = Secret("q") }, login { $0.key = Secret("k") },
            login { $0.mechanisms = [.scramSHA256] },
        ].enumerated() {
            #expect(after.needsNewSession(comparedTo: before), "login \(index)")
        }
        let needsNot: [(inout IRCNetworkSettings) -> Void] = [
            { _ in }, { $0.encoding = .windows1252 }, { $0.reconnect.longest = .seconds(2) },
            { $0.rejoin = nil }, { $0.relays = ["bridge"] }, { $0.channels = [] },
        ]
        for (index, change) in needsNot.enumerated() {
            #expect(!Network.settings(change).needsNewSession(comparedTo: old), "\(index)")
        }
    }
}
