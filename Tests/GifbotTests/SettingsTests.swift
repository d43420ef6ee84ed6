import Base
import Bot
import Chat
import Foundation
import GiphySearch
import IRCAdapter
import MatrixAdapter
import RateLimiter
import Testing
import YAML

@testable import gifbot

extension Settings {
    var irc: [IRCNetworkSettings] { networks.compactMap { $0 as? IRCNetworkSettings } }
}

struct SettingsTests {
    /// The package's root, found from this file.
    private var root: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
    }

    private func load(_ text: String) throws -> (settings: Settings, context: ConfigContext) {
        let context = ConfigContext(
            folder: "/etc/gifbot", environment: { name in "value_of_\(name)" },
            readFile: { (_) throws(ConfigFileError) in throw ConfigFileError(reason: "No such file or directory") })
        let node = try YAMLReader.parse(Array(text.utf8))
        let map = try #require(ConfigMap(node, path: "", in: context))
        return (Settings(map), context)
    }

    @Test("bot.yaml.example loads, and says what it seems to say")
    func example() throws {
        let text = try String(contentsOfFile: root + "/bot.yaml.example", encoding: .utf8)
        let (settings, context) = try load(text)
        #expect(context.faults == [])
        #expect(settings.irc.map(\.name) == ["libera"])
        #expect(settings.matrix.map(\.name) == ["home"])
        #expect(settings.search.sources.map(\.name) == ["giphy", "folder"])
        #expect(settings.program.state == "/etc/gifbot/state")
        let dogs = settings.bot.settings(for: Conversation(network: "libera", name: "#dogs", isDirect: false))
        #expect(dogs.rating == .pg)
        #expect(dogs.limits.channel?.text == "20/5m")
        #expect(dogs.limits.user?.text == "5/1m")
        let room = settings.bot.settings(for: Conversation(network: "home", name: "!abc:example.org", isDirect: false))
        #expect(room.prefixes == ["!", "/", "//"])
    }

    @Test("All keys that the example has are known, written out or not, and some that it leaves out")
    func knownKeys() throws {
        let text = try String(contentsOfFile: root + "/bot.yaml.example", encoding: .utf8)
        let written = #/(?m)^[ #]*(?:- )?([a-z_]+):(?: |$)|[{,] ?([a-z_]+): /#
        let keys = text.matches(of: written).compactMap { $0.1 ?? $0.2 }.map(String.init)
        #expect(keys.count > 90)
        #expect(Set(keys).subtracting(KnownKeys.all) == [])
        let others: Set = [
            "user_in_channel", "key_file", "access_token_file", "recovery_key", "cross_signed_only", "wait",
        ]
        #expect(others.subtracting(KnownKeys.all) == [])
    }

    @Test("The example's values are the defaults, so that a line left out changes nothing")
    func exampleIsDefault() throws {
        let text = try String(contentsOfFile: root + "/bot.yaml.example", encoding: .utf8)
        let named = Conversation(network: "libera", name: "#cats", isDirect: false)
        let example = try load(text).settings.bot.settings(for: named)
        let bare = try load("irc: [{name: libera, host: h.example, nick: g, channels: ['#cats']}]").settings
        #expect(example == bare.bot.settings(for: named))
    }

    @Test(
        "Faults are told with their place and what was expected",
        arguments: [
            ("bots: {}", "1:1 bots unknown key; did you mean bot?"),
            ("defaults: {rating: PG13}", "1:20 defaults.rating expected one of g, pg, pg-13, r"),
            (
                "irc: [{name: a, host: h.example, nick: n, channels: []}, {name: a, host: h.example, nick: n, channels: []}]",
                "1:65 irc[1].name this name is given to two networks"
            ),
            ("log: {level: loud}", "1:14 log.level expected one of debug, info, warning, error"),
            (
                "irc: [{name: a, host: h.example, nikc: n, nick: n, channels: []}]",
                "1:34 irc[0].nikc unknown key; did you mean nick?"
            ),
        ])
    func faults(text: String, fault: String) throws {
        let found = try load(text).context.faults.map { fault in
            "\(fault.place.map { "\($0.line):\($0.column)" } ?? "") \(fault.path) \(fault.message)"
        }
        #expect(found.contains(fault), "found \(found)")
    }

    @Test("Channel settings beside a connection that is faulty are known keys all the same")
    func faultyConnection() throws {
        let faults = try load("irc: [{name: a, rating: pg, limits: {user: off}}]").context.faults
        #expect(faults.map(\.path) == ["irc[0].host"], "\(faults)")
    }

    @Test("An adapter hands over what is young enough for one of its channels")
    func ageLimits() throws {
        let settings = try load(
            """
            defaults: {age_limit: 30s}
            irc:
              - {name: one, host: h.example, channels: ["#cats", {name: "#dogs", age_limit: 10m}]}
              - {name: two, host: h.example, channels: ["#cats"]}
            """
        ).settings
        #expect(settings.irc.map { settings.people(of: $0).ageLimit } == [.minutes(10), .seconds(30)])
    }

    @Test("The session of a network is told every prefix and command word that is in force somewhere on it")
    func words() throws {
        let settings = try load(
            """
            defaults: {command: gif, aliases: [giphy]}
            irc:
              - {name: one, host: h.example, channels: ["#cats", {name: "#dogs", command: woof, prefixes: ["."]}]}
              - {name: two, host: h.example, command: bild, aliases: [], channels: ["#cats"]}
            """
        ).settings
        let people = settings.irc.map { settings.people(of: $0) }
        #expect(people.map(\.commands) == [["gif", "giphy", "woof"], ["bild"]])
        #expect(people.map(\.triggers) == [["!", "."], ["!"]])
    }

    @Test("Without a config there are the samples, and no network")
    func bare() {
        #expect(Settings().search.sources.map(\.name) == ["folder"])
        #expect(Settings().irc.isEmpty)
    }

    @Test("A reload connects anew only where the connection changed")
    func reconnects() throws {
        func network(_ extra: String) throws -> IRCNetworkSettings {
            try #require(
                try load("irc: [{name: a, host: h.example, nick: n, channels: ['#a'], \(extra)}]").settings.irc.first)
        }
        let old = try network("rating: g")
        #expect(try !network("rating: pg, rejoin: never").needsNewSession(comparedTo: old))
        #expect(try network("port: 6698").needsNewSession(comparedTo: old))
    }
}
