import Base
import Bot
import State

/// `gifbot check`: reads the config like a doctor. Faults and warnings go to standard error, the settings in force to
/// standard output.
struct CheckCommand {
    let config: String?
    let isLive: Bool

    func perform() -> Exit {
        guard let (_, loaded) = SettingsFile.loadAndTell(named: config) else { return .badConfig }
        for line in loaded.linesWithExcerpts(of: loaded.warnings, as: "warning") { Output.error.write(line + "\n") }
        guard let settings = loaded.settings else {
            let count = loaded.faults.count
            Output.error.write("\(loaded.file): \(count) \(count == 1 ? "fault" : "faults")\n")
            return .badConfig
        }
        for line in SettingsAdvice(settings).lines { Output.error.write("\(loaded.file): warning: \(line)\n") }
        let report = SettingsReport(settings, origins: loaded.origins, record: setByChat(settings, loaded.file))
        for line in report.lines { Output.standard.write(line + "\n") }
        return isLive ? live(settings, loaded) : .asAsked
    }

    private func live(_ settings: Settings, _ loaded: LoadedSettings) -> Exit {
        let sink = StandardErrorLog()
        sink.take(loaded)
        return RunningProgram(sink: sink).run { program in
            let check = LiveCheck(settings, loop: program.loop) { line in
                Output.standard.write(sink.masked(line) + "\n")
            }
            Loop.start {
                await check.run()
                program.stop(check.isGood ? .asAsked : .failed)
            }
        }
    }

    /// What the state folder knows, whether the bot is running there or not.
    private func setByChat(_ settings: Settings, _ file: String) -> AdminRecord {
        switch StateReading.adminRecord(inFolder: settings.program.state) {
        case .read(let record): return record
        case .nothing: return AdminRecord()
        case .failed(let reason):
            Output.error.write("\(file): warning: what was set by chat can't be read: \(reason)\n")
            return AdminRecord()
        }
    }
}
