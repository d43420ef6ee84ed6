import Base
import Bot
import Chat
import Foundation
import GiphySearch
import JSON
import MatrixAdapter
import TestSupport
import Testing

@testable import gifbot

/// A config file in a folder of its own, for the time of a test.
struct ConfigOnDisk {
    private let place: TemporaryFolder
    let file: SettingsFile

    var folder: String { place.path }

    init(_ text: String, name: String = "bot.yaml", files: [String: String] = [:]) throws {
        place = try TemporaryFolder()
        let folder = place.path
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        file = try #require(SettingsFile(named: path))
    }
}

struct CheckTests {
    private func excerpts(_ text: String) throws -> String {
        let config = try ConfigOnDisk(text)
        let loaded = config.file.load()
        #expect(!loaded.faults.isEmpty)
        return loaded.linesWithExcerpts(of: loaded.faults, as: "error").joined(separator: "\n")
    }

    @Test("A fault shows its line, and a caret where it is")
    func caret() throws {
        let text = try excerpts("defaults:\n  command: gif\n  rating: PG13\n")
        #expect(text.hasSuffix("expected one of g, pg, pg-13, r\n  3 |   rating: PG13\n    |           ^"), "\(text)")
        let tab = try excerpts("defaults:\n\trating: g\n")
        #expect(tab.hasSuffix("  2 | \trating: g\n    | ^"), "\(tab)")
        let wide = try excerpts("bot: {state: \"é😀\", staet: x}")
        #expect(wide.contains("  1 | bot: {state: \"é😀\", staet: ***\n    |                    ^"), "\(wide)")
    }

    @Test(
        "BUG-28, BUG-32: no secret is shown, not even where the file can't be read",
        arguments: [
            "irc: [{name: a, host: h.example, nick: n, channels: [], sasl: {username: u, password: hunt3r: two}}]",
            "irc:\n  - name: a\n    password: %hunt3r\n", "irc:\n  - name: a\n    password: @hunt3r\n",
            "irc:\n  - name: a\n    password: `hunt3r`\n", "irc:\n  - name: a\n    pasword: hunt3r\n    host: [\n",
            "irc:\n  - {name: a, pasword: hunt3r, host: h.example, channels: []}",
            "irc:\n  - {name: a, hots: hunt3r, channels: []}",
            "matrix: [{name: a, \"access_token\": \"hunt3r\", user: [}]",
            "irc:\n  - name: a\n    password: \"hunt3r\n      hunt3r more: hunt3r\n    nick: n\n",
            "irc:\n  - name: a\n    password: |\n     x\n    hunt3r\n   hunt3r\n    nick: n\n",
            "irc: [{name: a, host: h.example, proxy: 'ftp://u:hunt3r@p.example', channels: []}]",
            "search: {giphy: {key: [hunt3r]}}", "search: {giphy: {key: hunt3r, kee: hunt3r}, x: {}}",
            "irc:\n  - name: a\n    password: \"hunt3r hunt3rs\n      hunt3r\", nick: {\n",
            "irc:\n  - {name: a, host: h.example, password: 'hunt3r\n    hunt3r', port: none, channels: []}",
        ])
    func secrets(text: String) throws {
        let shown = try excerpts(text)
        #expect(!shown.contains("hunt3r"), "\(shown)")
        #expect(shown.contains(": error: "))
    }

    @Test("A list that the file's end leaves open is told as one that may be a list")
    func openList() throws {
        let shown = try excerpts("matrix:\n  - name: a\n    rooms: [\n")
        #expect(shown.contains("bot.yaml:4:1: error: a list in [ ] or a mapping in { } is not closed"), "\(shown)")
    }

    @Test("In a file that can't be read a line shows where all its keys are of the config")
    func linesOfBrokenFiles() throws {
        let shown = try excerpts("matrix:\n  - name: a\n   send_within: 5m\n")
        #expect(shown.hasSuffix("  3 |    send_within: 5m\n    |    ^"), "\(shown)")
        #expect(try excerpts("matrix:\n  - name: a\n   anything: 5m\n").contains("  3 |    ***\n"))
    }

    private func report(_ text: String, _ record: AdminRecord = AdminRecord()) throws -> String {
        let config = try ConfigOnDisk(text)
        let loaded = config.file.load()
        let settings = try #require(loaded.settings, "\(loaded.faults)")
        return SettingsReport(settings, origins: loaded.origins, record: record).lines.joined(separator: "\n")
    }

    private static let layered = """
        defaults:
          rating: pg
          limits: {user: 3/1m}
        irc:
          - name: a
            host: h.example
            nick: n
            language: fr
            channels: ["#cats", {name: "#dogs",
                rating: r, limits: {channel: 20/5m}}, "#birds"]
        """

    /// The words of a row's value and origin below a heading.
    private func row(_ key: String, of heading: String, in report: String) -> String? {
        let lines = report.split(separator: "\n").map(String.init)
        guard let start = lines.firstIndex(of: "  \(heading):") else { return nil }
        return lines[(start + 1)...].first { $0.hasPrefix("    \(key) ") }
            .map { $0.dropFirst(4 + key.count).split(separator: " ").joined(separator: " ") }
    }

    @Test("Each setting in force is told with its layer and line")
    func origins() throws {
        let report = try report(Self.layered)
        #expect(row("rating", of: "#dogs", in: report) == "r (channel line 10)")
        #expect(row("limits.channel", of: "#dogs", in: report) == "20/5m (channel line 10)")
        #expect(row("limits.user", of: "#dogs", in: report) == "3/1m (defaults line 3)")
        #expect(row("language", of: "#dogs", in: report) == "fr (network line 8)")
        #expect(row("max_bytes", of: "#dogs", in: report) == "8MB (default)")
        // Places with the same settings stand together.
        #expect(row("rating", of: "#cats, #birds, other channels", in: report) == "pg (defaults line 2)")
        #expect(row("age_limit", of: "#cats, #birds, other channels", in: report) == "2m (default)")
    }

    @Test("A channel's own order of sources is told with where it stands, and that of the others with theirs")
    func providers() throws {
        let report = try report(
            """
            irc:
              - name: a
                host: h.example
                nick: n
                channels: ["#cats", {name: "#dogs", providers: [folder, openverse]}]
            search: {providers: [openverse, folder]}
            """)
        #expect(row("providers", of: "#dogs", in: report) == "[\"folder\", \"openverse\"] (channel line 5)")
        #expect(
            row("providers", of: "#cats, other channels", in: report) == "[\"openverse\", \"folder\"] (as in search)")
    }

    @Test("What was set by chat stands beside the config's values")
    func chat() throws {
        var record = AdminRecord()
        let cats = AdminChange.Reach.channel(network: "a", name: "#cats")
        let new = AdminChange.Reach.channel(network: "a", name: "#new")
        let settings: [(AdminChange.Reach, AdminSetting, Bool)] = [
            (cats, .rating(.g), false), (new, .enabled(false), true), (cats, .denied("clown"), true),
            // Looser than the config, and by an operator: without effect.
            (.channel(network: "a", name: "#birds"), .rating(.r), false),
        ]
        for (number, (reach, setting, isByAdmin)) in settings.enumerated() {
            record.apply(
                .changed(
                    AdminChange(
                        number: Int64(number + 1), reach: reach, setting: setting, isByAdmin: isByAdmin, who: "a/ada",
                        at: WallTime(milliseconds: 0))))
        }
        let report = try report(Self.layered, record)
        #expect(row("rating", of: "#cats", in: report) == "g (by chat, change 1 by a/ada)")
        #expect(row("deny.words", of: "#cats", in: report) == "[\"clown\"] (by chat, change 3 by a/ada)")
        #expect(row("enabled", of: "#new", in: report) == "false (by chat, change 2 by a/ada)")
        #expect(row("rating", of: "#birds, other channels", in: report) == "pg (defaults line 2)")
    }

    private func advice(_ text: String) throws -> String {
        let config = try ConfigOnDisk(text)
        let loaded = config.file.load()
        let settings = try #require(loaded.settings, "\(loaded.faults)")
        let lines = SettingsAdvice(settings).lines + loaded.lines(of: loaded.warnings, as: "warning")
        return lines.joined(separator: "\n")
    }

    @Test(
        "What is allowed and perhaps not meant",
        arguments: [
            ("irc: [{name: a, host: h.example, nick: n, channels: []}]", "a: no bot admin is named"),
            (
                "bot: {admins: [a/ada]}\nirc: [{name: a, host: h.example, nick: n, channels: []}]",
                "a: the bot doesn't log in; on a network without services"
            ),
            (
                "irc: [{name: a, host: 127.0.0.1, tls: {enabled: false}, channels: [], sasl: {mechanism: plain, username: u, password: longenough}}]",
                "a: the login goes in plain text"
            ),
            (
                "irc: [{name: a, host: h.example, tls: {verify: false}, channels: []}]",
                "anybody can pose as the server"
            ),
            ("search: {folder: {path: .}}", "without public_url"),
            (
                "irc: [{name: a, host: h.example, channels: [\"#kids\", {name: \"#x\", rating: r}]}]\nsearch: {folder: {path: ., rating: r}}",
                "search.folder: all of it counts as r, so it is never asked where the rating is g"
            ),
            (
                "matrix: [{name: m, homeserver: 'https://h.example', access_token: longenough, rooms: [{name: '!a:h.example', media: image}]}]\nsearch: {giphy: {key: longenough}}",
                "media: image of !a:h.example: giphy allows no copy"
            ),
        ])
    func advised(text: String, words: String) throws {
        let found = try advice(text)
        #expect(found.contains(words), "\(found)")
    }

    @Test("Where libolm is missing, each account that would encrypt is told what to install, and nobody else is")
    func noLibolm() throws {
        let config = try ConfigOnDisk(
            """
            bot: {admins: ["@ada:h.example"]}
            matrix:
              - {name: m, homeserver: 'https://h.example', access_token: longenough}
              - {name: n, homeserver: 'https://h.example', access_token: longenough, encryption: false}
            search: {folder: {path: ., public_url: "https://g.example"}}
            """)
        let loaded = config.file.load()
        let settings = try #require(loaded.settings, "\(loaded.faults)")
        #expect(SettingsAdvice(settings, libolmTrouble: { nil }).lines.isEmpty)
        #expect(
            SettingsAdvice(settings, libolmTrouble: { "install the package libolm3" }).lines
                == ["m: encrypted rooms will be left alone: install the package libolm3"])
        let look = KeyLook(folder: config.folder, trouble: { "install the package libolm3" })
        let found = look.judge(["device_keys": [:]], user: "@bot:h.example", device: "BOT")
        #expect(!found.isGood && found.text == "encryption: install the package libolm3")
    }

    @Test("A config that leaves no doubt is given no advice")
    func noAdvice() throws {
        let found = try advice(
            """
            bot: {admins: [a/ada]}
            irc: [{name: a, host: h.example, channels: ["#a"], sasl: {username: u, password: longenough}}]
            search: {folder: {path: ., public_url: "https://g.example"}}
            """)
        #expect(found == "")
    }
}
