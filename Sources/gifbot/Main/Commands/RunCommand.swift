import Base
import Bot
import Glibc
import Net
import State

/// `gifbot run`: until it is told to stop.
struct RunCommand {
    let config: String?

    func perform() -> Exit {
        guard let (file, loaded) = SettingsFile.loadAndTell(named: config) else { return .badConfig }
        guard let settings = loaded.settings else { return .badConfig }
        guard !settings.irc.isEmpty || !settings.matrix.isEmpty else {
            Output.error.write("\(loaded.file): error: no network: add an irc or a matrix section\n")
            return .badConfig
        }
        let sink = StandardErrorLog()
        sink.take(loaded)
        return RunningProgram(sink: sink).run { (program) throws(StartError) in
            program.tellWarnings(of: loaded)
            try program.startService(settings, file: file)
        }
    }
}

extension RunningProgram {
    fileprivate func startService(_ settings: Settings, file: SettingsFile) throws(StartError) {
        let store: StateStore
        do throws(StateError) {
            store = try StateStore.open(folder: settings.section.state, clock: loop, log: log.area("state"))
        } catch {
            throw StartError(text: error.description)
        }
        let assembly = Assembly(
            settings, store: store, stateFolder: settings.section.state, loop: loop, log: log)
        let service = Service(settings, assembly: assembly)
        if getuid() == 0 { log.warning("running as root; an account of its own is safer") }
        onStop = { await service.stop() }
        onReload = { [self] in _ = reload(service, file: file) }
        service.onReload = { [weak self, weak service] in
            guard let self, let service else { return "The bot is stopping." }
            return self.reload(service, file: file)
        }
        log.info("started", ["version": Version.number])
        service.start()
    }

    fileprivate func tellWarnings(of loaded: LoadedSettings) {
        for line in loaded.lines(of: loaded.warnings, as: "warning") { log.warning("config", ["warning": line]) }
    }

    /// Gives a line for whoever asked; where the faults lie is for the log.
    private func reload(_ service: Service, file: SettingsFile) -> String {
        let loaded = file.load()
        tellWarnings(of: loaded)
        guard let settings = loaded.settings else {
            for line in loaded.lines(of: loaded.faults, as: "error") { log.error("config is bad", ["fault": line]) }
            log.error("the settings in force stay", ["faults": String(loaded.faults.count)])
            return "The config has \(loaded.faults.count) faults, so the settings in force stay; the log says more."
        }
        sink.take(loaded)
        service.take(settings)
        log.info("settings reloaded", ["file": loaded.file])
        return "Settings reloaded."
    }
}

extension StandardErrorLog {
    func take(_ loaded: LoadedSettings) {
        for secret in loaded.secrets { addSecret(secret) }
        if let log = loaded.settings?.log { configure(level: log.level, format: log.format) }
    }
}
