import Base
import Bot
import ConsoleAdapter
import Curl
import Glibc
import Net
import State

/// `gifbot chat`: a console room with a channel's settings. Nothing is posted, and nothing is remembered.
struct ChatCommand {
    let config: String?
    let place: ConsolePlace
    let user: String

    func perform() -> Exit {
        let sink = StandardErrorLog()
        var settings = Settings()
        // Without --config the console works on a fresh machine: a bot.yaml that happens to be here is used, too.
        if let file = SettingsFile(named: config) {
            let loaded = file.load()
            for line in loaded.linesWithExcerpts(of: loaded.faults, as: "error") { Output.error.write(line + "\n") }
            guard let found = loaded.settings else { return .badConfig }
            if let wrong = found.fault(of: place) {
                Output.error.write("gifbot: \(wrong)\n")
                return .wrongUsage
            }
            settings = found
            sink.take(loaded)
        }
        let chosen = settings
        return RunningProgram(sink: sink).run { program in
            program.startConsole(chosen, place: place, user: user)
        }
    }
}

extension RunningProgram {
    fileprivate func startConsole(_ settings: Settings, place: ConsolePlace, user: String) {
        let store = StateStore.inMemory(clock: loop, log: log.area("state"))
        let assembly = Assembly(settings, store: store, stateFolder: samplesParent, loop: loop, log: log)
        let console = ConsoleAdapter(
            network: place.network, channel: place.channel, user: user, isAdmin: false,
            handler: assembly.bot, output: { Output.standard.write($0 + "\n") })
        let bot = assembly.bot
        let clock = loop
        onStop = {
            bot.close()
            await bot.waitUntilIdle(by: clock.now.advanced(by: .seconds(4)))
            assembly.http.stop()
        }
        onReload = { [weak self] in self?.stop() }
        if isatty(STDIN_FILENO) != 0 {
            Output.error.write("\(Version.line): a console room. Try !gif party; Ctrl-D ends it.\n")
        }
        let program = self
        StandardInput(
            line: { console.received(line: $0) },
            end: {
                Loop.start {
                    await bot.waitUntilIdle()
                    program.stop()
                }
            }
        ).start()
    }

    /// Where the samples go when there is no state folder: the user's cache.
    private var samplesParent: String {
        if let cache = folder(in: "XDG_CACHE_HOME") { return cache + "/gifbot" }
        if let home = folder(in: "HOME") { return home + "/.cache/gifbot" }
        return "/tmp/gifbot-\(getuid())"
    }

    /// An empty variable counts as one that isn't set (XDG Base Directory Specification).
    private func folder(in variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
