import Base
import Chat
import GiphySearch
import RateLimiter
import Testing

@testable import Bot

@Suite struct SettingsTests {
    func overrides(_ shape: Shape, _ layer: ChannelOverrides.Layer = .defaults) -> ChannelOverrides {
        let (value, faults) = decoded(shape, at: "x") { ChannelOverrides($0, layer: layer) }
        #expect(faults == [])
        return value ?? ChannelOverrides()
    }

    func faults(_ shape: Shape, _ layer: ChannelOverrides.Layer = .defaults) -> [String] {
        decoded(shape, at: "x") { ChannelOverrides($0, layer: layer) }.faults
    }

    @Test("Every key is read")
    func keys() throws {
        let layer = overrides([
            "command": "Meme", "aliases": ["M", "pic"], "prefixes": [".", "!!"], "enabled": "false", "private": "false",
            "rating": "PG-13", "unrated": "true", "language": "zh-cn", "media": "link", "max_bytes": "2MB",
            "max_width": "320", "sticker": "false", "collection": "off", "age_limit": "30s",
            "template": "{title} {url}",
            "deny": ["words": ["Spider"], "ids": ["giphy:abc"]],
            "limits": [
                "user": "off", "channel": "20/1h burst 5", "user_in_channel": "1/10s", "network": "100/1m",
                "global": "off",
            ],
        ])
        let settings = ChannelSettings().with(layer)
        #expect(settings.command == "meme")
        #expect(settings.aliases == ["m", "pic"])
        #expect(settings.prefixes == [".", "!!"])
        #expect(!settings.isEnabled && !settings.answersPrivately && !settings.allowsStickers)
        #expect(settings.rating == .pg13 && settings.allowsUnrated)
        #expect(settings.language == "zh-CN")
        #expect(settings.media == .link && settings.collection == .off)
        #expect(settings.maximumBytes == 2_000_000 && settings.maximumWidth == 320)
        #expect(settings.ageLimit == .seconds(30))
        #expect(try settings.template == ReplyTemplate("{title} {url}"))
        #expect(settings.deniedWords == ["spider"] && settings.deniedIDs == ["giphy:abc"])
        #expect(settings.limits.user == nil && settings.limits.global == nil)
        #expect(settings.limits.channel?.text == "20/1h burst 5")
        #expect(settings.limits.userInChannel?.text == "1/10s")
        #expect(settings.limits.network?.text == "100/1m")
    }

    @Test("BUG-23: no setting means g, and unrated stays out")
    func standard() {
        let settings = BotSettings().settings(for: Conversation(network: "n", name: "#c", isDirect: false))
        #expect(settings.rating == .g && !settings.allowsUnrated)
        #expect(settings.limits.user?.text == "5/1m")
        #expect(settings.limits.channel?.text == "10/1m")
        #expect(settings.limits.global?.text == "60/1m")
        #expect(settings.limits.network == nil && settings.limits.userInChannel == nil)
        #expect(settings.template == ReplyTemplate.standard)
    }

    @Test("The standard template is the one that is documented")
    func template() throws {
        #expect(try ReplyTemplate(ReplyTemplate.standardText) == ReplyTemplate.standard)
        #expect(ReplyTemplate.standard.parts.count == 7)
    }

    @Test(
        "BUG-23: what is wrong is refused, with what was expected",
        arguments: [
            (["rating": "PG13"], "x.rating: expected one of g, pg, pg-13, r"),
            (["language": "frr"], "x.language: expected one of en, es"),
            (["language": "deu"], "did you mean de?"),
            (["media": "video"], "x.media: expected one of link, image, auto"),
            (["command": "two words"], "x.command: expected words"),
            (["aliases": ["ok", ""]], "x.aliases: expected words"),
            (["prefixes": ["g!"]], "x.prefixes: expected marks"),
            (["prefixes": ["! "]], "x.prefixes: expected marks"),
            (["prefixes": "!"], "x.prefixes: expected a list"),
            (["limits": ["user": "5 per minute"]], "x.limits.user: expected a rule"),
            (["limits": ["user": "0/1m"]], "x.limits.user: expected a whole number"),
            (["limits": ["usr": "5/1m"]], "x.limits.usr: unknown key; did you mean user?"),
            (["deny": ["word": ["a"]]], "x.deny.word: unknown key; did you mean words?"),
            (["template": "{url} {title}"], "x.template: expected {url} once, at the very end"),
            (["template": "{titel} {url}"], "x.template: expected only the names {title}"),
            (["age_limit": "5"], "x.age_limit: expected a time"),
            (["max_width": "0"], "x.max_width: expected a whole number from 16"),
        ] as [(Shape, String)])
    func wrong(shape: Shape, message: String) {
        let found = faults(shape)
        #expect(found.count == 1)
        #expect(found.first?.contains(message) == true, "\(found)")
    }

    @Test("What counts more than a layer can't be set in it")
    func layersOfLimits() {
        #expect(faults(["limits": ["global": "1/1m"]], .network).count == 1)
        #expect(faults(["limits": ["global": "1/1m"]], .channel).count == 1)
        #expect(faults(["limits": ["network": "1/1m"]], .channel).count == 1)
        #expect(faults(["limits": ["network": "1/1m"]], .network) == [])
    }

    @Test("Other keys of a shared mapping are left to their owners")
    func shared() {
        #expect(faults(["host": "irc.example.org", "rating": "pg"], .network) == [])
    }

    @Test("defaults, network, channel: the nearest one that says something counts")
    func layers() {
        var defaults = ChannelOverrides()
        defaults.rating = .pg
        defaults.command = "g"
        defaults.limits.user = limit("1/1m")
        var network = ChannelOverrides()
        network.rating = .r
        network.limits.user = .off
        var channel = ChannelOverrides()
        channel.rating = .g
        let settings = BotSettings(
            defaults: defaults,
            networks: [
                .init(name: "net", prefixes: ["!"], overrides: network, conversations: [("#cats", channel)]),
                .init(name: "home", prefixes: ["!", "/", "//"], overrides: ChannelOverrides(), conversations: []),
            ])
        func at(_ network: String, _ name: String) -> ChannelSettings {
            settings.settings(for: Conversation(network: network, name: name, isDirect: false))
        }
        #expect(at("net", "#cats").rating == .g)
        #expect(at("net", "#dogs").rating == .r)
        #expect(at("home", "!r").rating == .pg)
        #expect(at("other", "#x").rating == .pg)
        #expect(at("net", "#cats").command == "g")
        #expect(at("net", "#cats").limits.user == nil)
        #expect(at("home", "!r").limits.user?.text == "1/1m")
        #expect(at("home", "!r").prefixes == ["!", "/", "//"])
        #expect(at("net", "#cats").prefixes == ["!"])
        #expect(settings.prefixes(on: "home") == ["!", "/", "//"])
        #expect(settings.prefixes(on: "net") == ["!"])
        #expect(settings.prefixes(on: "other") == ["!"])
    }

    @Test("Prefixes that are written count for every kind of network")
    func writtenPrefixes() {
        var defaults = ChannelOverrides()
        defaults.prefixes = ["."]
        let settings = BotSettings(
            defaults: defaults,
            networks: [.init(name: "home", prefixes: ["!", "/"], overrides: ChannelOverrides(), conversations: [])])
        #expect(settings.settings(for: Conversation(network: "home", name: "!r", isDirect: false)).prefixes == ["."])
    }
}

@Suite struct BotSectionTests {
    func section(_ shape: Shape) -> (value: BotSectionSettings?, faults: [String]) {
        decoded(shape, at: "bot") { BotSectionSettings($0, networks: ["libera", "oftc"]) }
    }

    @Test func people() throws {
        let (value, faults) = section([
            "admins": ["libera/alice", "@alice:example.org"],
            "ignore": ["libera/*!*@bots.example", "oftc/eve", "@other:example.org"], "exempt": "admins",
        ])
        let settings = try #require(value)
        #expect(faults == [])
        #expect(settings.admins(of: "libera") == ["alice"])
        #expect(settings.admins(of: "oftc") == [])
        #expect(settings.matrixAdmins == ["@alice:example.org"])
        #expect(settings.ignored(on: "libera") == ["*!*@bots.example"])
        #expect(settings.ignored(on: "oftc") == ["eve"])
        #expect(settings.matrixIgnored == ["@other:example.org"])
        #expect(settings.exempt == .admins)
        #expect(settings.state == "/etc/gifbot/state")
    }

    @Test func paths() {
        #expect(section(["state": "../var"]).value?.state == "/etc/gifbot/../var")
        #expect(section(["state": "/var/lib/gifbot"]).value?.state == "/var/lib/gifbot")
    }

    @Test(
        arguments: [
            (["admins": ["libra/alice"]], "bot.admins: no IRC network is named libra; did you mean libera?"),
            (["admins": ["alice"]], "bot.admins: expected network/account or @user:server"),
            (["admins": ["libera/"]], "bot.admins: expected network/account or @user:server"),
            (["admins": ["@alice"]], "bot.admins: expected a Matrix user id"),
            (["ignore": ["@:example.org"]], "bot.ignore: expected a Matrix user id"),
            (["exempt": "everyone"], "bot.exempt: expected one of none, admins"),
            (["admin": ["libera/alice"]], "bot.admin: unknown key; did you mean admins?"),
        ] as [(Shape, String)])
    func wrong(shape: Shape, message: String) {
        let faults = section(shape).faults
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix(message) == true, "\(faults)")
    }
}
