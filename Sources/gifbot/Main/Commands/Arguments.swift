/// What the command line asks for.
enum Invocation: Equatable {
    case run(config: String?)
    case chat(config: String?, place: ConsolePlace, user: String)
    case check(config: String?, isLive: Bool)
    case initialize(config: String?)
    case index(folder: String, config: String?)
    case login(config: String?, account: String?)
    case verify(config: String?, account: String?, user: String?)
    case recoveryKey(config: String?, account: String?)
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
        gifbot check [--config FILE] [--live]
                                        reads the config, tells every fault, then the settings in force;
                                        --live tries servers, logins, rooms and keys, and posts nothing
        gifbot init [--config FILE]     asks a few questions and writes a first bot.yaml
        gifbot index FOLDER [--config FILE]
                                        indexes a folder of GIFs, so that a large one is searched quickly
        gifbot login [--config FILE] [ACCOUNT]
                                        signs a Matrix account in where a person agrees on a web page
        gifbot verify [--config FILE] [--account NAME] [--user @alice:example.org]
                                        lets a person verify the bot's Matrix device by comparing emoji;
                                        without --user it waits for a bot admin to ask (stop the bot first)
        gifbot verify --recovery-key [--config FILE] [--account NAME]
                                        shows the account's recovery key once, and removes its file
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
        let options = try Options(
            parsing: Array(words.dropFirst()), allowed: known.options, flags: known.flags, words: known.words, of: verb)
        self = try known.make(options)
    }

    /// What stands behind a command: options with a value, flags without, and how many words of its own.
    private struct Form {
        var options: Set<String> = []
        var flags: Set<String> = []
        var words = 0
        let make: (Options) throws(UsageError) -> Invocation
    }

    private static var table: [String: Form] {
        [
            "run": Form(options: ["--config"]) { (options) throws(UsageError) in .run(config: options["--config"]) },
            "chat": Form(options: ["--config", "--as", "--user"]) { (options) throws(UsageError) in try chat(options) },
            "check": Form(options: ["--config"], flags: ["--live"]) { (options) throws(UsageError) in
                .check(config: options["--config"], isLive: options.has("--live"))
            },
            "init": Form(options: ["--config"]) { (options) throws(UsageError) in
                .initialize(config: options["--config"])
            },
            "index": Form(options: ["--config"], words: 1) { (options) throws(UsageError) in
                guard let folder = options.words.first else { throw UsageError(text: "gifbot index needs a folder") }
                return .index(folder: folder, config: options["--config"])
            },
            "login": Form(options: ["--config"], words: 1) { (options) throws(UsageError) in
                .login(config: options["--config"], account: options.words.first)
            },
            "verify": Form(options: ["--config", "--account", "--user"], flags: ["--recovery-key"]) {
                (options) throws(UsageError) in try verify(options)
            },
            "version": Form { (_) throws(UsageError) in .version },
            "--version": Form { (_) throws(UsageError) in .version },
        ]
    }

    private static func verify(_ options: Options) throws(UsageError) -> Invocation {
        let (config, account, user) = (options["--config"], options["--account"], options["--user"])
        if options.has("--recovery-key") {
            guard user == nil else { throw UsageError(text: "--recovery-key is for nobody: leave --user out") }
            return .recoveryKey(config: config, account: account)
        }
        if let user {
            let isID = user.hasPrefix("@") && user.dropFirst(2).contains(":") && user.utf8.count <= 255
            guard isID else { throw UsageError(text: "--user needs a Matrix id such as @alice:example.org") }
        }
        return .verify(config: config, account: account, user: user)
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

/// `--name value` and `--name=value` pairs and flags, each at most once, and words of the command's own.
private struct Options {
    private var values: [String: String] = [:]
    private var given: Set<String> = []
    private(set) var words: [String] = []

    init(parsing words: [String], allowed: Set<String>, flags: Set<String>, words most: Int, of verb: String)
        throws(UsageError)
    {
        var rest = words[...]
        while let word = rest.popFirst() {
            if !word.hasPrefix("-"), self.words.count < most {
                self.words.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            let isFlag = flags.contains(name) && parts.count == 1
            guard isFlag || !flags.contains(name) else { throw UsageError(text: "\(name) takes no value") }
            guard isFlag || allowed.contains(name) else {
                throw UsageError(text: "gifbot \(verb) doesn't know \(name)")
            }
            guard given.insert(name).inserted else { throw UsageError(text: "\(name) is given twice") }
            if isFlag { continue }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw UsageError(text: "\(name) needs a value")
            }
            values[name] = value
        }
    }

    subscript(name: String) -> String? { values[name] }
    func has(_ flag: String) -> Bool { given.contains(flag) }
}
