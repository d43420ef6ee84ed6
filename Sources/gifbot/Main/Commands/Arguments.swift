/// What the command line asks for.
enum Invocation: Equatable {
    case run(config: String?)
    case chat(config: String?, place: ConsolePlace, user: String)
    case check(config: String?)
    case login(config: String?, account: String?)
    case version
    case help
}

/// Whose settings a console room has.
struct ConsolePlace: Equatable {
    var network = "console"
    var channel = "#console"
}

struct UsageError: Error, Equatable {
    let text: String
}

extension Invocation {
    static let helpText = """
        gifbot answers !gif party on IRC and /gif party on Matrix with a GIF.

        gifbot run [--config FILE]      the bot (default: ./bot.yaml, then /etc/gifbot/bot.yaml)
        gifbot chat [--config FILE] [--as NETWORK/CHANNEL] [--user NAME]
                                        a console room with that channel's settings; works without a config
        gifbot check [--config FILE]    reads the config, tells every fault, then the settings in force
        gifbot login [--config FILE] [ACCOUNT]
                                        signs a Matrix account in where a person agrees on a web page
        gifbot version
        gifbot --help

        Exit codes: 0 stopped as asked, 64 wrong usage, 78 bad config, 1 anything else.

        """

    /// `words` without the program's own name.
    init(parsing words: [String]) throws(UsageError) {
        guard let verb = words.first else { throw UsageError(text: "expected a command") }
        if words.contains("--help") || words.contains("-h") || verb == "help" {
            self = .help
            return
        }
        guard let known = Self.table[verb] else { throw UsageError(text: "unknown command \(verb)") }
        let options = try Options(parsing: Array(words.dropFirst()), allowed: known.options, of: verb)
        self = try known.make(options)
    }

    private static var table: [String: (options: Set<String>, make: (Options) throws(UsageError) -> Invocation)] {
        [
            "run": (["--config"], { (options) throws(UsageError) in .run(config: options["--config"]) }),
            "chat": (["--config", "--as", "--user"], { (options) throws(UsageError) in try chat(options) }),
            "check": (["--config"], { (options) throws(UsageError) in .check(config: options["--config"]) }),
            "login": (
                ["--config", "ACCOUNT"],
                { (options) throws(UsageError) in .login(config: options["--config"], account: options["ACCOUNT"]) }
            ),
            "version": ([], { (_) throws(UsageError) in .version }),
            "--version": ([], { (_) throws(UsageError) in .version }),
        ]
    }

    private static func chat(_ options: Options) throws(UsageError) -> Invocation {
        var place = ConsolePlace()
        if let text = options["--as"] {
            let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw UsageError(text: "--as needs NETWORK/CHANNEL") }
            place = ConsolePlace(network: parts[0], channel: parts[1])
        }
        return .chat(config: options["--config"], place: place, user: options["--user"] ?? "you")
    }
}

/// `--name value` and `--name=value` pairs and a word by itself, each at most once.
private struct Options {
    private var values: [String: String] = [:]

    init(parsing words: [String], allowed: Set<String>, of verb: String) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            var name = parts[0]
            // A word by itself is what the help spells in capitals.
            if !name.hasPrefix("-"), let word = allowed.first(where: { !$0.hasPrefix("-") }), values[word] == nil {
                name = word
                rest = [parts.joined(separator: "=")] + rest
            }
            guard allowed.contains(name) else { throw UsageError(text: "gifbot \(verb) doesn't know \(name)") }
            guard values[name] == nil else { throw UsageError(text: "\(name) is given twice") }
            guard let value = parts.count == 2 && name == parts[0] ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw UsageError(text: "\(name) needs a value")
            }
            values[name] = value
        }
    }

    subscript(name: String) -> String? { values[name] }
}
