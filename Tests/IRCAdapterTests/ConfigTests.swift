import Base
import OpenSSL
import IRC
import IRCAdapter
import Testing

@Suite("IRC adapter: its part of the config")
struct ConfigTests {
    static let place = ConfigPlace(line: 1, column: 1)

    static func text(_ text: String) -> ConfigNode {
        ConfigNode(.scalar(text, isPlain: true), at: place)
    }

    static func list(_ items: ConfigNode...) -> ConfigNode {
        ConfigNode(.list(items), at: place)
    }

    static func map(_ entries: KeyValuePairs<String, ConfigNode>) -> ConfigNode {
        ConfigNode(
            .map(entries.map { (key: ConfigNode.ConfigKey(name: $0.key, place: place), value: $0.value) }), at: place)
    }

    private static func decode(
        _ entries: KeyValuePairs<String, ConfigNode>
    ) throws -> (decoded: (settings: IRCNetworkSettings, channels: [IRCNetworkSettings.ChannelMap])?, faults: [String])
    {
        let context = ConfigContext(folder: "/etc", environment: { _ in nil }, readFile: { _ in "" })
        let section = try #require(ConfigMap(map(entries), path: "irc[0]", in: context))
        let decoded = IRCNetworkSettings.decode(section)
        section.finish()
        return (decoded, context.faults.map { "\($0.path): \($0.message)" })
    }

    @Test func everything() throws {
        let pin = String(repeating: "AB", count: 32)
        let (decoded, faults) = try Self.decode([
            "name": Self.text("libera"), "host": Self.text("irc.libera.chat"), "port": Self.text("7000"),
            "tls": Self.map(["ca_file": Self.text("ca.pem"), "fingerprint": Self.list(Self.text(pin), Self.text(pin))]),
            "nick": Self.text("gifbot"), "alternative_nicks": Self.list(Self.text("gifb0t")),
            "username": Self.text("gif"), "realname": Self.text("GIF bot"), "password": Self.text("sesame"),
            "sasl": Self.map([
                "mechanism": Self.text("PLAIN"), "username": Self.text("gifbot"), "password": Self.text("p"),
            ]),
            "nickserv": Self.map(["password": Self.text("n")]), "encoding": Self.text("windows-1252"),
            "proxy": Self.text("socks5h://127.0.0.1:9050"), "bind": Self.text("127.0.0.2"),
            "flood_control": Self.text("off"),
            "reconnect": Self.map(["first": Self.text("1s"), "longest": Self.text("1m")]),
            "rejoin": Self.text("never"), "relays": Self.list(Self.text("bridge")),
            "channels": Self.list(
                Self.text("#cats"), Self.map(["name": Self.text("&dogs"), "key": Self.text("k")])),
        ])
        #expect(faults == [])
        let settings = try #require(decoded?.settings)
        #expect(settings.connection.endpoint.port == 7000)
        #expect(settings.connection.endpoint.tls?.caFile == "/etc/ca.pem")
        #expect(settings.connection.endpoint.tls?.pins.count == 2)
        #expect(settings.connection.login?.username == "gifbot")
        #expect(settings.connection.flood == nil)
        #expect(settings.rejoin == nil)
        #expect(settings.reconnect == .init(first: .seconds(1), longest: .seconds(60)))
        #expect(settings.encoding == .windows1252)
        #expect(settings.channels == [.init(name: "#cats"), .init(name: "&dogs", key: Secret("k"))])
        #expect(decoded?.channels.map { $0.map != nil } == [false, true])
    }

    @Test func leastThatWorks() throws {
        let (decoded, faults) = try Self.decode(["name": Self.text("x"), "host": Self.text("irc.example.test")])
        #expect(faults == [])
        let settings = try #require(decoded?.settings)
        #expect(settings.connection.endpoint == IRCEndpoint(host: "irc.example.test", port: 6697, tls: .init()))
        #expect(settings.connection.nick == "gifbot")
        #expect(!settings.needsNewSession(comparedTo: settings))
    }

    private static let plainText = map(["enabled": text("false")])
    private static func login(_ mechanism: String) -> ConfigNode {
        map(["mechanism": text(mechanism), "username": text("u"), "password": text("p")])
    }

    @Test(
        "what is wrong is told",
        arguments: [
            ("nick", text("1gif"), "irc[0].nick: expected a nick"),
            ("username", text("gif bot"), "irc[0].username: expected"),
            ("port", text("0"), "irc[0].port: expected"),
            ("encoding", text("ebcdic"), "irc[0].encoding: expected latin-1"),
            ("channels", list(text("cats")), "irc[0].channels[0]: expected a channel"),
            ("channels", list(text("#a"), text("#A")), "irc[0].channels[1]: the channel #A is there twice"),
            ("channels", list(ConfigNode(.empty, at: place)), "irc[0].channels[0]: an empty entry"),
            ("sasl", login("none"), "irc[0].sasl.mechanism: expected one of"),
            ("sasl", map(["username": text("u")]), "irc[0].sasl.password: missing"),
            ("tls", map(["fingerprint": text("AB:CD")]), "irc[0].tls.fingerprint: expected the SHA-256"),
            ("tls", map(["client_key": text("key.pem")]), "irc[0].tls.client_key: a key without a client_certificate"),
            ("bind", text("a b"), "irc[0].bind: expected an address"),
            ("nickserv", map(["wait": text("5s")]), "irc[0].nickserv.password: missing"),
            ("tls", map(["verfy": text("true")]), "irc[0].tls.verfy: unknown key; did you mean verify?"),
            ("reconnect", map(["first": text("5m"), "longest": text("1m")]), "irc[0].reconnect.longest: expected"),
            ("proxy", text("127.0.0.1:9050"), "irc[0].proxy: expected socks5h"),
            ("rejoin", text("sometimes"), "irc[0].rejoin: expected a mapping"),
            ("flood_control", text("on"), "irc[0].flood_control: expected a mapping"),
        ])
    func faults(key: String, value: ConfigNode, fault: String) throws {
        let (_, faults) = try Self.decode([
            "name": Self.text("x"), "host": Self.text("irc.example.test"), key: value,
        ])
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix(fault) == true, "\(faults)")
    }

    @Test("C12: the user name is plain, given or made from the nick: some servers end the connection for anything else")
    func userNames() throws {
        for name in ["gif bot", "größe", "gif!bot", "gif@bot", "", "~gif", String(repeating: "g", count: 21)] {
            let (_, faults) = try Self.decode([
                "name": Self.text("x"), "host": Self.text("irc.example.test"), "username": Self.text(name),
            ])
            #expect(faults == ["irc[0].username: expected 1 to 20 letters and digits"], "\(name)")
        }
        for (nick, name) in [("g|f[bot]", "gfbot"), ("[]", "gifbot"), ("gifbot-of-libera", "gifbotofli")] {
            let (decoded, faults) = try Self.decode([
                "name": Self.text("x"), "host": Self.text("irc.example.test"), "nick": Self.text(nick),
            ])
            #expect(faults == [])
            #expect(decoded?.settings.connection.username == name)
        }
    }

    @Test func plainPasswordOnlyOverTLSOrLoopback() throws {
        for (host, count) in [("irc.example.test", 1), ("127.0.0.1", 0), ("localhost", 0), ("::1", 0)] {
            let (_, faults) = try Self.decode([
                "name": Self.text("x"), "host": Self.text(host), "tls": Self.plainText, "sasl": Self.login("auto"),
            ])
            #expect(faults.count == count, "\(host)")
        }
    }

    @Test(
        "C12: the user name is plain letters and digits, made from the nick unless it is given; a nick may be UTF-8",
        arguments: [
            ("gifbot", nil, "gifbot"), ("gif-bot_2", nil, "gifbot2"), ("[]", nil, "gifbot"), ("гиф", nil, "gifbot"),
            ("gifbot", "gif", "gif"),
        ] as [(String, String?, String)])
    func username(nick: String, given: String?, username: String) throws {
        var entries: KeyValuePairs<String, ConfigNode> = [
            "name": Self.text("x"), "host": Self.text("irc.example.test"), "nick": Self.text(nick),
        ]
        if let given {
            entries = [
                "name": Self.text("x"), "host": Self.text("irc.example.test"), "nick": Self.text(nick),
                "username": Self.text(given),
            ]
        }
        let (decoded, faults) = try Self.decode(entries)
        #expect(faults == [])
        #expect(decoded?.settings.connection.username == username)
    }

    @Test("BUG-32: what a proxy's address holds for logging in is a secret like any other")
    func proxySecrets() throws {
        let context = ConfigContext(
            folder: "/", environment: { _ in nil },
            readFile: { (_) throws(ConfigFileError) in throw ConfigFileError(reason: "none") })
        let node = Self.map([
            "name": Self.text("x"), "host": Self.text("irc.example.test"),
            "proxy": Self.text("socks5h://user:proxypass@127.0.0.1:9050"),
        ])
        let map = try #require(ConfigMap(node, path: "irc[0]", in: context))
        #expect(IRCNetworkSettings.decode(map) != nil)
        #expect(context.secrets == [Secret("user"), Secret("proxypass")])
    }

    @Test func hostIsNeeded() throws {
        let (decoded, faults) = try Self.decode(["name": Self.text("x")])
        #expect(decoded == nil)
        #expect(faults == ["irc[0].host: missing: expected text"])
    }
}
