import GiphySearch
import Testing

@testable import Bot

@Suite struct CommandParserTests {
    let irc = CommandParser(prefixes: ["!"], words: ["gif", "giphy"])
    let matrix = CommandParser(prefixes: ["!", "/", "//"], words: ["gif"])

    func search(_ words: String) -> Command { .search(SearchArgument(words: words)) }

    @Test(
        "BUG-01: odd spacing and letter case",
        arguments: [
            "!gif  owl", "!gif owl ", " !gif owl", "!gif\u{A0}owl", "!gif\u{3000}owl", "!gif\nowl", "!gif\r\nowl",
            "!Gif owl", "!GIF\tOwl", "\u{FEFF}!gif owl", "!giphy owl", "!GiPhY OWL\u{2028}", "\u{3000}!gif\u{2003}owl",
        ])
    func spacing(text: String) {
        #expect(irc.parse(text, isAddressed: false) == search("owl"))
    }

    @Test("BUG-01: the command alone gets usage", arguments: ["!gif", "!gif   ", "!gif\u{A0}", " !GIF\r\n", "!gif --"])
    func alone(text: String) {
        #expect(irc.parse(text, isAddressed: false) == .usage)
    }

    @Test(
        "What isn't a command",
        arguments: [
            "!gifs owl", "gif owl", "", " ", "\u{A0}", "!", "! gif owl", "!!gif owl", "!gi", "owl !gif", "/gif owl",
            "//gif owl", "!gif: owl", "!gif\u{E9} owl", "!g\u{131}f owl", "see !gif owl", "> !gif owl",
        ])
    func chat(text: String) {
        #expect(irc.parse(text, isAddressed: false) == nil)
    }

    @Test("BUG-02: leftover formatting codes don't hide a command")
    func formatting() {
        #expect(irc.parse("\u{02}!gif\u{02} red \u{0F}panda\u{0F}", isAddressed: false) == search("red panda"))
        #expect(irc.parse("\u{11}!gif owl\u{11}", isAddressed: false) == search("owl"))
        #expect(irc.parse("\u{01}ACTION !gif owl", isAddressed: false) == nil)
        #expect(irc.parse("\u{01}\u{01}", isAddressed: false) == nil)
    }

    @Test("Matrix forms", arguments: ["/gif owl", "//gif owl", "!gif owl", "//GIF  owl"])
    func slashes(text: String) {
        #expect(matrix.parse(text, isAddressed: false) == search("owl"))
    }

    @Test("Addressed, with and without prefix", arguments: ["gif owl", "Gif owl", "!gif owl", " giphy owl"])
    func addressed(text: String) {
        #expect(irc.parse(text, isAddressed: true) == search("owl"))
    }

    @Test("Addressed chat is no command", arguments: ["hello", "gifs owl", "a gif owl", ""])
    func addressedChat(text: String) {
        #expect(irc.parse(text, isAddressed: true) == nil)
    }

    @Test("BUG-03: a hand-typed quote runs nothing")
    func quote() {
        #expect(matrix.parse("> !gif owl", isAddressed: false) == nil)
    }

    @Test("Command words in other scripts, in any letter case")
    func otherScripts() {
        let parser = CommandParser(prefixes: ["!", "¡"], words: ["гиф"])
        #expect(parser.parse("!ГИФ сова", isAddressed: false) == search("сова"))
        #expect(parser.parse("¡гиф СОВА", isAddressed: false) == search("сова"))
        #expect(parser.parse("!гифы сова", isAddressed: false) == nil)
    }

    @Test func options() {
        let all = SearchArgument(words: "cat", position: 3, rating: .g, language: "fr")
        #expect(irc.parse("!gif -n 3 --rating G --lang FR Cat", isAddressed: false) == .search(all))
        let pg13 = SearchArgument(words: "cat", rating: .pg13)
        #expect(irc.parse("!gif --rating pg-13 cat", isAddressed: false) == .search(pg13))
        let chinese = SearchArgument(words: "cat", language: "zh-CN")
        #expect(irc.parse("!gif --lang zh-cn cat", isAddressed: false) == .search(chinese))
        let dash = SearchArgument(words: "cat", rating: .g)
        #expect(irc.parse("!gif \u{2014}rating g cat", isAddressed: false) == .search(dash))
        #expect(irc.parse("!gif -n 3", isAddressed: false) == .usage)
    }

    @Test(
        "An unknown option, and one behind a word, is part of the words",
        arguments: [
            ("!gif --fast cat", "--fast cat"), ("!gif cat -n 3", "cat -n 3"), ("!gif -x -n 3 cat", "-x -n 3 cat"),
            ("!gif -- -n 3", "-n 3"), ("!gif -", "-"), ("!gif -5 degrees", "-5 degrees"),
        ])
    func unknownOption(text: String, words: String) {
        #expect(irc.parse(text, isAddressed: false) == search(words))
    }

    @Test(
        "A known option with a wrong value",
        arguments: [
            ("!gif -n cat", CommandOption.position), ("!gif -n 0 cat", .position), ("!gif -n 51 cat", .position),
            ("!gif -n", .position), ("!gif --rating PG13 cat", .rating), ("!gif --lang klingon cat", .language),
        ])
    func wrongValue(text: String, option: CommandOption) {
        #expect(irc.parse(text, isAddressed: false) == .wrongOption(option))
    }

    @Test("A word of the table counts only in its form", arguments: CommandTable.all.map(\.name))
    func table(name: String) throws {
        let entry = try #require(CommandTable.entry(named: name))
        let lowered = SearchArgument(words: name, rating: .g)
        switch entry.form {
        case .alone, .commandWord:
            let nothing: CommandArgument = if case .alone = entry.form { .none } else { .text("") }
            #expect(irc.parse("!gif \(name)", isAddressed: false) == .named(entry, nothing))
            #expect(
                irc.parse("!gif  \(name.uppercased())\u{200E} ", isAddressed: false) == .named(entry, nothing))
            #expect(irc.parse("!gif \(name) me", isAddressed: false) == search("\(name) me"))
            #expect(irc.parse("!gif --rating g \(name)", isAddressed: false) == .search(lowered))
        case .words, .optionalWords:
            let both = SearchArgument(words: "red panda", rating: .g, language: "fr")
            #expect(
                irc.parse("!gif --rating g \(name) --lang fr Red  Panda", isAddressed: false)
                    == .named(entry, .search(both)))
            #expect(
                irc.parse("!gif \(name) \(name)", isAddressed: false)
                    == .named(entry, .search(SearchArgument(words: name))))
            let alone: Command =
                if case .words = entry.form { search(name) } else { .named(entry, .search(SearchArgument(words: ""))) }
            #expect(irc.parse("!gif \(name)", isAddressed: false) == alone)
            #expect(irc.parse("!gif \(name) -n x cat", isAddressed: false) == .wrongOption(.position))
        case .name:
            #expect(
                irc.parse("!gif \(name) :Hug_1:", isAddressed: false) == .named(entry, .text("hug_1")))
            #expect(irc.parse("!gif \(name)", isAddressed: false) == search(name))
            #expect(irc.parse("!gif \(name) the whales", isAddressed: false) == search("\(name) the whales"))
        case .rest:
            #expect(
                irc.parse("!gif \(name)  Ignore  @Ada:Example.ORG ", isAddressed: false)
                    == .named(entry, .text("Ignore @Ada:Example.ORG")))
        case .number, .namedGif: return
        }
        #expect(irc.parse("!gif -- \(name)", isAddressed: false) == search(name))
    }

    @Test("BUG-24: words stay what they are")
    func signs() {
        #expect(
            irc.parse("!gif C++ & c#? 100%/\u{BD} \u{1F431}", isAddressed: false)
                == search("c++ & c#? 100%/\u{BD} \u{1F431}"))
        #expect(irc.parse("!gif  CAF\u{C9}\u{A0}  \u{C4}", isAddressed: false) == search("caf\u{E9} \u{E4}"))
    }

    @Test("BUG-07: nothing that ends or turns a line gets into a query")
    func injection() {
        let text = "!gif owl\nTOPIC #cats :x\r\u{0}\u{202E}gnp\u{2066}\u{85}a\u{7F}b"
        #expect(irc.parse(text, isAddressed: false) == search("owl topic #cats :x gnp a b"))
    }

    @Test("A query has an end, between characters")
    func long() throws {
        let text = "!gif " + String(repeating: "\u{2665}", count: 500)
        #expect(irc.parse(text, isAddressed: false) == search(String(repeating: "\u{2665}", count: 66)))
        let words = "!gif " + String(repeating: "ab ", count: 500)
        guard case .search(let command)? = irc.parse(words, isAddressed: false) else {
            Issue.record("no search")
            return
        }
        #expect(command.words.utf8.count <= CommandParser.longestQuery)
        #expect(command.words.last == "b" || command.words.last == "a")
    }

    @Test("Cut anywhere, a command is chat, usage or a search, and never a crash")
    func cutEverywhere() {
        let text =
            "\u{3000}!Gif\u{A0}--rating\u{2003}pg \u{2014}lang fr\u{202E} \u{1F469}\u{200D}\u{2695}\u{FE0F} x\u{D8}"
        let scalars = Array(text.unicodeScalars)
        for start in 0...scalars.count {
            for end in start...scalars.count {
                var view = String.UnicodeScalarView()
                view.append(contentsOf: scalars[start..<end])
                _ = irc.parse(String(view), isAddressed: (start + end).isMultiple(of: 2))
            }
        }
    }
}
