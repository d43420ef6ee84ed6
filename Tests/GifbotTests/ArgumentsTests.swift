import Testing

@testable import gifbot

struct ArgumentsTests {
    @Test(
        "What the command line asks for",
        arguments: [
            (["run"], Invocation.run(config: nil)),
            (["run", "--config", "a.yaml"], .run(config: "a.yaml")),
            (["run", "--config=a=b.yaml"], .run(config: "a=b.yaml")),
            (["chat"], .chat(config: nil, place: ConsolePlace(), user: "you")),
            (
                ["chat", "--as", "libera/#cats/x", "--user", "ada"],
                .chat(config: nil, place: ConsolePlace(network: "libera", channel: "#cats/x"), user: "ada")
            ),
            (["check", "--config", "x"], .check(config: "x", isLive: false)),
            (["check", "--live"], .check(config: nil, isLive: true)), (["init"], .initialize(config: nil)),
            (["index", "a b", "--config", "x"], .index(folder: "a b", config: "x")),
            (["login"], .login(config: nil, account: nil)),
            (["login", "--config", "a.yaml", "home"], .login(config: "a.yaml", account: "home")),
            (["login", "my=home"], .login(config: nil, account: "my=home")),
            (["verify"], .verify(config: nil, account: nil, user: nil)),
            (
                ["verify", "--account", "home", "--user=@alice:example.org", "--config", "x"],
                .verify(config: "x", account: "home", user: "@alice:example.org")
            ),
            (["verify", "--recovery-key"], .recoveryKey(config: nil, account: nil)),
            (["verify", "--account", "a", "--recovery-key"], .recoveryKey(config: nil, account: "a")),
            (["version"], .version), (["--version"], .version), (["--help"], .help), (["run", "--help"], .help),
        ])
    func understood(words: [String], invocation: Invocation) throws {
        #expect(try Invocation(parsing: words) == invocation)
    }

    @Test(
        "What it doesn't understand is told by name",
        arguments: [
            (["login", "a", "b"], "doesn't know b"), ([], "expected a command"), (["fly"], "unknown command fly"),
            (["run", "--fast"], "doesn't know --fast"),
            (["run", "--config"], "--config needs a value"), (["run", "--config="], "--config needs a value"),
            (["run", "--config", "a", "--config", "b"], "given twice"), (["version", "x"], "doesn't know x"),
            (["chat", "--as", "libera"], "NETWORK/CHANNEL"), (["check", "--live=1"], "--live takes no value"),
            (["verify", "--user", "alice"], "@alice:example.org"), (["verify", "--user", "@a"], "@alice:example.org"),
            (["verify", "--recovery-key", "--user", "@a:b"], "leave --user out"), (["verify", "x"], "doesn't know x"),
            (["index"], "needs a folder"), (["index", "a", "b"], "doesn't know b"),
        ])
    func refused(words: [String], text: String) {
        do throws(UsageError) {
            _ = try Invocation(parsing: words)
            Issue.record("\(words) was understood")
        } catch {
            #expect(error.text.contains(text))
        }
    }
}
