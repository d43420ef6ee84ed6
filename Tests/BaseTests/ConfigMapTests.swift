import Base
import Testing

@Suite struct ConfigMapTests {
    @Test("milliseconds are for tests that can't wait")
    func shortDurations() {
        #expect(Duration(configText: "10ms") == .milliseconds(10))
        #expect(Duration(configText: "86400001ms") == nil)
    }

    @Test(
        arguments: [
            ("30s", 30), ("5m", 300), ("1h", 3600), ("2d", 172_800), ("05m", 300), ("3650d", 315_360_000), ("0s", nil),
            ("3651d", nil), ("5", nil), ("s", nil), ("-5s", nil), ("+5s", nil), ("5 s", nil), ("5S", nil),
            ("1.5h", nil), ("٣s", nil), ("99999999999999999999s", nil), ("", nil), ("5w", nil), ("ms", nil),
            ("0ms", nil),
        ] as [(String, Int?)])
    func durations(_ text: String, seconds: Int?) throws {
        #expect(Duration(configText: text) == seconds.map { Duration.seconds($0) })
        let config = try Config([("wait", .plain(text))])
        #expect(config.map.duration("wait") == seconds.map { Duration.seconds($0) })
        #expect(config.faults == (seconds == nil ? ["wait: expected a time such as 30s, 5m, 1h or 2d"] : []))
    }

    @Test(
        arguments: [
            ("8MB", 8_000_000), ("500kb", 500_000), ("1MiB", 1 << 20), ("2 KiB", nil), ("2KiB", 2048), ("100", 100),
            ("7B", 7), ("0", nil), ("-1KB", nil), ("+1KB", nil), ("1GB", nil), ("", nil), ("MB", nil),
            ("99999999999999999999MB", nil), ("4294967297", nil),
        ] as [(String, Int?)])
    func byteCounts(_ text: String, expected: Int?) throws {
        let config = try Config([("size", .plain(text))])
        #expect(config.map.byteCount("size") == expected)
        #expect(config.faults.isEmpty == (expected != nil))
    }

    @Test(
        arguments: [
            ("1", 1), ("65535", 65535), ("0667", 667), ("0", nil), ("65536", nil), ("+1", nil), ("-1", nil),
            ("1.0", nil),
            ("1e3", nil), ("0x10", nil), (" 1", nil), ("", nil), ("99999999999999999999", nil),
        ] as [(String, Int?)])
    func integers(_ text: String, expected: Int?) throws {
        let config = try Config([("port", .plain(text))])
        #expect(config.map.integer("port", in: 1...65535) == expected)
        #expect(config.faults == (expected == nil ? ["port: expected a whole number from 1 to 65535"] : []))
    }

    @Test(
        arguments: [
            ("true", true), ("TRUE", true), ("False", false), ("yes", nil), ("on", nil), ("1", nil), ("", nil),
        ] as [(String, Bool?)])
    func booleans(_ text: String, expected: Bool?) throws {
        let config = try Config([("tls", .plain(text))])
        #expect(config.map.bool("tls") == expected)
        #expect(config.faults.isEmpty == (expected != nil))
    }

    private enum Media: String, CaseIterable { case link, image, own = "Own-Name" }

    @Test func choices() throws {
        let config = try Config([("a", .plain("Link")), ("b", .plain("own-name")), ("c", .plain("gif"))])
        #expect(config.map.choice("a", Media.self) == .link)
        #expect(config.map.choice("b", Media.self) == .own)
        #expect(config.map.choice("c", Media.self) == nil)
        #expect(config.map.choice("d", Media.self) == nil)
        #expect(config.faults == ["c: expected one of link, image, Own-Name"])
    }

    @Test func wrongKindsSayWhatWasExpectedAndFoundAndNoValue() throws {
        let config = try Config(
            [("a", .list([])), ("b", .map([])), ("c", .nothing()), ("d", .plain("S3CRET")), ("e", .plain("S3CRET"))],
            path: "irc[0]")
        #expect(config.map.text("a") == nil)
        #expect(config.map.integer("b", in: 1...2) == nil)
        #expect(config.map.bool("c") == nil)
        #expect(config.map.list("d") == nil)
        #expect(config.map.map("e") == nil)
        #expect(
            config.faults == [
                "irc[0].a: expected text, found a list",
                "irc[0].b: expected a whole number from 1 to 2, found a mapping",
                "irc[0].c: expected true or false, found nothing", "irc[0].d: expected a list, found a single value",
                "irc[0].e: expected a mapping of keys to values, found a single value",
            ])
    }

    @Test func anEmptyEntryIsToldAndTheOthersKeepTheirNumbers() throws {
        let config = try Config([
            ("names", .list([.nothing(line: 2), .plain("b", line: 3), .list([], line: 4)]))
        ])
        #expect(config.map.texts("names") == ["b"])
        #expect(config.context.faults.map(\.path) == ["names[0]", "names[2]"])
        #expect(config.context.faults.map(\.place?.line) == [2, 4])
    }

    @Test func severalDecodersShareOneMapping() throws {
        let config = try Config(
            [("host", .plain("h")), ("rating", .plain("g")), ("prot", .plain("1"))], path: "irc[0]")
        #expect(config.map.text("host") == "h")
        #expect(config.map.text("rating") == "g")
        #expect(config.map.integer("port", in: 1...9) == nil)
        config.map.finish()
        #expect(config.faults == ["irc[0].prot: unknown key; did you mean port?"])
        #expect(config.context.faults[0].place == ConfigPlace(line: 3, column: 1))
    }

    @Test(
        arguments: [
            ("nikc", "nick"), ("nik", "nick"), ("nicks", "nick"), ("realnmae", "realname"), ("bind", nil), ("x", nil),
            ("", nil), ("access_token_flie", "access_token_file"),
        ] as [(String, String?)])
    func nearestName(_ name: String, expected: String?) {
        #expect(nearest(to: name, among: ["nick", "realname", "access_token_file", "host"]) == expected)
    }

    @Test func anAbsentSectionHasNoKeys() {
        let context = ConfigContext(folder: ".", environment: { _ in nil }) { (_) throws(ConfigFileError) in "" }
        let map = ConfigMap(emptyAt: "search", in: context)
        #expect(map.text("a") == nil)
        #expect(map.secret("b") == nil)
        #expect(map.requiredText("c") == nil)
        map.finish()
        #expect(context.faults.map(\.path) == ["search.c"])
    }
}
