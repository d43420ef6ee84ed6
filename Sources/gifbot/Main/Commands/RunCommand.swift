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
        guard !settings.networks.isEmpty else {
            Output.error.write("\(loaded.file): error: no network: add an irc or a matrix section\n")
            return .badConfig
        }
        let sink = StandardErrorLog()
        sink.take(loaded)
        return RunningProgram(sink: sink).run { (program) throws(StartError) in
            try program.startService(settings, loaded, file: file)
        }
    }
}

extension RunningProgram {
    fileprivate func startService(_ settings: Settings, _ loaded: LoadedSettings, file: SettingsFile)
        throws(StartError)
    {
        let store: StateStore
        do throws(StateError) {
            store = try StateStore.open(folder: settings.program.state, clock: loop, log: log.area("state"))
        } catch {
            throw StartError(text: error.description)
        }
        let assembly = Assembly(
            settings, store: store, pages: PageFile(folder: settings.program.state, clock: loop, log: log),
            stateFolder: settings.program.state, loop: loop, log: log)
        let service = Service(settings, assembly: assembly)
        let reloading = Reloading(file, loaded: loaded, service: service, sink: sink, log: log)
        service.onReload = { [weak reloading] in await reloading?.reload(because: .admin) ?? "The bot is stopping." }
        if getuid() == 0 { log.warning("running as root; an account of its own is safer") }
        onStop = {
            reloading.stop()
            await service.stop()
        }
        onReload = { Loop.start { _ = await reloading.reload(because: .signal) } }
        log.info("started", ["version": Version.number])
        service.start()
        reloading.watchFiles(on: loop)
    }
}

extension StandardErrorLog {
    func take(_ loaded: LoadedSettings) {
        for secret in loaded.secrets { addSecret(secret) }
        if let log = loaded.settings?.log { configure(level: log.level, format: log.format) }
    }
}
