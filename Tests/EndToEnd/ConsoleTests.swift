import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What needs no network: the console room, the config doctor, the command line.
    @Suite struct Console {
        @Test("Where GIPHY finds nothing, it is asked once more where that is wanted: for a GIF, and for other words")
        func instead() async throws {
            let giphy = try await FakeGiphy.shared.get()
            try await giphy.reset()
            let folder = try TemporaryFolder()
            let config = Config.head() + "\n" + Config.giphy(giphy)
            try folder.write(
                config.replacing("budget: off", with: "budget: off, translate: true, suggestions: true"), to: "bot.yaml"
            )
            let done = try await gifbot(
                ["chat", "--config", folder.path + "/bot.yaml"], input: ["!gif nothing here", "!gif nothing at all"],
                in: folder)
            #expect(done.code == 0 && done.output.contains { $0.contains("GIPHY — http") }, "\(done)")
            #expect(
                done.output.contains { $0.contains("Nothing found for these words. Related: lab owls, lab snow.") },
                "\(done)")
            #expect(try await giphy.requests.count == 5)
        }

        @Test func `chat answers from the samples on a fresh machine`() async throws {
            let done = try await gifbot(["chat"], input: ["hello", "!gif party", "gifbot: gif party"])
            #expect(done.code == 0)
            let answers = done.output.filter { $0.contains("×") }
            #expect(answers.count == 2, "\(done.output) \(done.errors)")
            for line in answers {
                let shape = #/(\d+)×(\d+), .* — file:\/\/(\S+)$/#
                guard let found = line.firstMatch(of: shape)?.output else {
                    Issue.record("no answer with a file: \(line)")
                    continue
                }
                let header = (String(found.1), String(found.2))
                #expect(Int(header.0) ?? 0 > 0 && Int(header.1) ?? 0 > 0)
            }
        }

        @Test func `chat shows files that are there, as large as it says`() async throws {
            let folder = try TemporaryFolder()
            let program = try Program(Places.gifbot(), ["chat"], in: folder.path)
            defer { program.signal(SIGKILL) }
            program.type("!gif party")
            let line = try await eventually("an answer\n\(program.tail)") {
                program.output.lines.first { $0.contains("×") }
            }
            let text = line.drop { !$0.isLetter }
            let url = String(text.split(separator: " ").last ?? "")
            let path = URL(string: url)?.path ?? ""
            let header = GIFHeader((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
            let found = line.firstMatch(of: #/(\d+)×(\d+)/#)?.output
            #expect(header?.width == found.flatMap { Int($0.1) })
            #expect(header?.height == found.flatMap { Int($0.2) })
            program.closeInput()
            #expect(try await program.end() == 0)
        }

        @Test func `chat pages, takes back, previews and keeps a collection`() async throws {
            let done = try await gifbot(
                ["chat"],
                input: [
                    "!gif next", "!gif party", "!gif list", "!gif next", "!gif undo", "!gif preview happy", "!gif send",
                    "!gif save joy", "!gif :joy:", "!gif saved",
                ])
            #expect(done.code == 0)
            let lines = done.output
            #expect(lines.contains { $0.contains("start with !gif <words>") }, "\(lines)")
            #expect(lines.contains { $0.contains("(only to you) Result 1: ") && !$0.contains("://") }, "\(lines)")
            #expect(lines.contains { $0.contains("(taken back) ") }, "\(lines)")
            #expect(lines.contains { $0.contains("(only to you) Preview: ") }, "\(lines)")
            #expect(lines.contains { $0.contains("Saved as :joy:") }, "\(lines)")
            #expect(lines.contains { $0.contains("Saved here: :joy:") }, "\(lines)")
        }

        @Test func `at end of input it waits for the answers in hand`() async throws {
            let giphy = try await FakeGiphy.shared.get()
            try await giphy.reset()
            try await giphy.fail("slow", seconds: 1)
            let folder = try TemporaryFolder()
            try folder.write(Config.head() + "\n" + Config.giphy(giphy), to: "bot.yaml")
            let done = try await gifbot(
                ["chat", "--config", folder.path + "/bot.yaml"], input: ["!gif slow"], in: folder)
            #expect(done.code == 0)
            #expect(done.output.contains { $0.contains("GIPHY") }, "\(done.output) \(done.errors)")
            try await giphy.reset()
        }

        @Test(arguments: [["version"], ["--help"]])
        func `version and help are said on standard output`(words: [String]) async throws {
            let done = try await gifbot(words)
            #expect(done.code == 0)
            #expect(done.output.contains { $0.contains("gifbot") })
        }

        @Test(arguments: [
            ["dance"], ["run", "--no-such-option"], ["run", "--config"], ["check", "a", "b"], ["chat", "--as"],
        ])
        func `a wrong command line ends with 64 and says why`(words: [String]) async throws {
            let done = try await gifbot(words)
            #expect(done.code == 64)
            #expect(!done.errors.isEmpty)
            #expect(done.output.isEmpty)
        }

        static let badConfigs: [(String, String, line: Int)] = [
            ("an unknown key", "bot: {state: ./state}\nirq: []\n", 2),
            ("a wrong rating", "defaults:\n  rating: PG13x\n", 2),
            ("no YAML", "defaults:\n  rating: [g\n", 2),
            ("a key twice", "defaults: {rating: g}\ndefaults: {rating: g}\n", 2),
            ("a bad rule", "defaults:\n  limits:\n    user: 5 per minute\n", 3),
            (
                "a channel that is a comment",
                "irc:\n  - name: a\n    host: localhost\n    nick: b\n    channels:\n      - #cats\n", 5
            ),
            ("a missing secret", "search:\n  providers: [giphy]\n  giphy:\n    key: \"${NO_SUCH_VARIABLE_HERE}\"\n", 4),
        ]

        @Test(arguments: badConfigs)
        func `a bad config ends run and check with 78, file, line and column`(
            name: String, text: String, line: Int
        ) async throws {
            for command in ["run", "check"] {
                let folder = try TemporaryFolder()
                try folder.write(text, to: "bot.yaml")
                let done = try await gifbot([command, "--config", "bot.yaml"], in: folder)
                #expect(done.code == 78, "\(command), \(name)")
                let all = done.errors + done.output
                let lines = all.compactMap { $0.firstMatch(of: #/bot\.yaml:(\d+):(\d+)/#)?.output }
                #expect(!lines.isEmpty, "\(command), \(name): no place in \(all)")
                #expect(lines.contains { abs((Int($0.1) ?? 0) - line) <= 1 }, "\(command), \(name): \(all)")
            }
        }

        @Test func `what can't be meant ends a command before it begins, with its reason`() async throws {
            let folder = try TemporaryFolder()
            let good = "irc: [{name: lab, host: localhost, nick: b, channels: []}]\nsearch: {providers: [folder]}\n"
            try folder.write(good, to: "good.yaml")
            try folder.write("bots: {}\n", to: "bad.yaml")
            let cases: [(words: [String], code: Int32, says: String)] = [
                (["index", ".", "--config", "nowhere.yaml"], 78, "nowhere.yaml: error: can't read the file"),
                (["index", ".", "--config", "bad.yaml"], 78, "unknown key; did you mean bot?"),
                (["index", "good.yaml"], 1, "gifbot: can't read the folder good.yaml: Not a directory"),
                (["chat", "--config", "bad.yaml"], 78, "  1 | bots: ***"),
                (["chat", "--config", "good.yaml", "--as", "lob/#cats"], 64, "no network lob; did you mean lab?"),
                (["chat", "--config", "good.yaml", "--as", "elsewhere/#cats"], 64, "elsewhere; there is: lab"),
                (["init", "--config", "nowhere/bot.yaml"], 1, "gifbot: can't write nowhere/bot.yaml: No such file"),
            ]
            for (words, code, says) in cases {
                let done = try await gifbot(words, in: folder)
                #expect(done.code == code && done.output == [], "\(words): \(done)")
                #expect(done.errors.contains { $0.contains(says) }, "\(words): \(done.errors)")
            }
            let named = try await gifbot(["chat", "--config", "good.yaml", "--as", "lab/#cats"], in: folder)
            #expect(named.code == 0)
            let report = try await gifbot(["check", "--config", "good.yaml"], in: folder)
            #expect(report.output.first == "state: ./state")
        }

        @Test func `a missing config is said to be missing`() async throws {
            let done = try await gifbot(["run", "--config", "nowhere.yaml"])
            #expect(done.code == 78)
            #expect(done.errors.contains { $0.contains("nowhere.yaml") })
        }

        @Test func `check tells the effective settings and no secret`() async throws {
            let folder = try TemporaryFolder()
            try folder.write("topsecret1\n", to: "key")
            try folder.write(
                """
                bot: {state: ./state}
                defaults: {rating: pg}
                irc:
                  - name: lab
                    host: localhost
                    nick: gifbot
                    sasl: {mechanism: plain, username: gifbot, password: "topsecret2"}
                    channels: ["#cats", {name: "#dogs", rating: g}]
                search:
                  providers: [giphy]
                  giphy: {key_file: ./key}
                """, to: "bot.yaml")
            let done = try await gifbot(["check", "--config", "bot.yaml"], in: folder)
            let all = (done.output + done.errors).joined(separator: "\n")
            #expect(done.code == 0, "\(all)")
            #expect(all.contains("#cats") && all.contains("#dogs"))
            #expect(!all.contains("topsecret"))
        }
    }
}
