@main enum Gifbot {
    static func main() {
        do throws(UsageError) {
            perform(try Invocation(parsing: Array(CommandLine.arguments.dropFirst()))).now()
        } catch {
            Output.error.write("gifbot: \(error.text)\n\n\(Invocation.helpText)")
            Exit.wrongUsage.now()
        }
    }

    private static func perform(_ invocation: Invocation) -> Exit {
        switch invocation {
        case .run(let config): RunCommand(config: config).perform()
        case .chat(let config, let place, let user): ChatCommand(config: config, place: place, user: user).perform()
        case .check(let config, let isLive): CheckCommand(config: config, isLive: isLive).perform()
        case .initialize(let config): InitCommand(config: config).perform()
        case .index(let folder, let config): IndexCommand(folder: folder, config: config).perform()
        case .login(let config, let account): LoginCommand(config: config, account: account).perform()
        case .verify(let config, let account, let user):
            VerifyCommand(config: config, account: account, user: user).perform()
        case .recoveryKey(let config, let account): RecoveryKeyCommand(config: config, account: account).perform()
        case .version: say(Version.line)
        case .help: say(Invocation.helpText)
        }
    }

    private static func say(_ text: String) -> Exit {
        Output.standard.write(text.hasSuffix("\n") ? text : text + "\n")
        return .asAsked
    }
}
