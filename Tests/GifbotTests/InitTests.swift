import Base
import Bot
import Foundation
import GiphySearch
import IRCAdapter
import MatrixAdapter
import Testing

@testable import gifbot

struct InitTests {
    private func written(_ answers: [String]) -> String? {
        var rest = answers[...]
        var talk = Questions(read: { rest.popFirst() }, say: { _ in })
        return FirstConfig.ask(&talk)
    }

    private func settings(_ answers: [String]) throws -> (Settings, text: String) {
        let text = try #require(written(answers))
        let disk = try ConfigOnDisk(text)
        let loaded = disk.file.load()
        return (try #require(loaded.settings, "\(loaded.faults)\n\(text)"), text)
    }

    @Test("Empty answers are the defaults, and what is written passes the check")
    func defaults() throws {
        let (settings, _) = try settings(["", "", "", "", "", "", "", "", ""])
        #expect(settings.irc.map(\.name) == ["libera"])
        #expect(settings.irc.first?.channels.map(\.name) == ["#gifbot-test"])
        #expect(settings.matrix.isEmpty)
        #expect(settings.search.sources.map(\.name) == ["folder"])
    }

    @Test("All questions answered, and characters that mean something in YAML stay what they are")
    func all() throws {
        let (settings, text) = try settings([
            "y", "irc.example.net", "net", "gifb", "acc", "pa:ss #\"w\\rd", "#a ##b", "ada", "yes",
            "@gifbot:example.org", "", "hunter two", "@ada:example.org", "a-giphy-key",
        ])
        let network = try #require(settings.irc.first)
        #expect(network.name == "net")
        #expect(network.connection.login?.password?.value == "pa:ss #\"w\\rd")
        #expect(network.channels.map(\.name) == ["#a", "##b"])
        #expect(settings.program.admins(of: "net") == ["ada"])
        #expect(settings.program.matrixAdmins == ["@ada:example.org"])
        #expect(settings.matrix.first?.homeserver == "https://example.org")
        #expect(settings.matrix.first?.signIn == .password(.init("hunter two")))
        #expect(settings.search.sources.map(\.name) == ["giphy"])
        #expect(text.contains("# "))
    }

    @Test("An answer that can't be right is asked again; too few answers write nothing")
    func again() throws {
        let (settings, _) = try settings([
            "maybe", "no", "yes", "gifbot", "@gifbot:example.org", "http://example.org", "https://m.example.org",
            "secret words", "", "",
        ])
        #expect(settings.irc.isEmpty)
        #expect(settings.matrix.first?.homeserver == "https://m.example.org")
        #expect(written(["yes", "irc.example.net"]) == nil)
        #expect(written([]) == nil)
    }

    @Test("A file that is there is never written over")
    func existing() throws {
        let config = try ConfigOnDisk("mine")
        #expect(InitCommand(config: config.file.path).perform() == .failed)
        #expect(try String(contentsOfFile: config.file.path, encoding: .utf8) == "mine")
    }
}
