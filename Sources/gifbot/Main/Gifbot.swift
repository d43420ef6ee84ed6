import Glibc

@main enum Gifbot {
    static func main() {
        // Standard output is read line by line by whoever drives the console.
        setvbuf(stdout, nil, _IOLBF, 0)
        do throws(UsageError) {
            perform(try Invocation(parsing: Array(CommandLine.arguments.dropFirst()))).now()
        } catch {
            printToStandardError("gifbot: \(error.text)\n\n\(Invocation.helpText)")
            Exit.wrongUsage.now()
        }
    }

    private static func perform(_ invocation: Invocation) -> Exit {
        switch invocation {
        case .run(let config): RunCommand(config: config).perform()
        case .chat(let config, let place, let user): ChatCommand(config: config, place: place, user: user).perform()
        case .check(let config): CheckCommand(config: config).perform()
        case .version: say(Version.line)
        case .help: say(Invocation.helpText)
        }
    }

    private static func say(_ text: String) -> Exit {
        print(text, terminator: text.hasSuffix("\n") ? "" : "\n")
        return .asAsked
    }
}
