import Base
import Bot
import Net

/// Reads the config again whenever it is asked to, or the file changes, and has the service take it up as a whole or not at
/// all. The files that secrets come from count as parts of the config.
@Loop final class Reloading {
    enum Cause: String {
        case signal, file, admin
    }

    private let reader: SettingsReader
    private let path: String
    private let service: Service
    private let sink: StandardErrorLog
    private let log: Log
    private var watcher: FileWatcher?
    private var watched: [String] = []
    /// The one that was asked for last, and whether it has yet to begin: whoever asks meanwhile gets its answer.
    private var last: Task<String, Never>?
    private var waiting: Task<String, Never>?
    /// The faults told last, so that a file that stays bad isn't told again and again.
    private var toldFaults: [String] = []

    /// `loaded` is what the service began with.
    init(_ file: SettingsFile, loaded: LoadedSettings, service: Service, sink: StandardErrorLog, log: Log) {
        reader = SettingsReader(file)
        path = file.absolutePath
        self.service = service
        self.sink = sink
        self.log = log
        watched = [path] + loaded.files
        tellWarnings(of: loaded)
    }

    /// Without a watch a signal or an admin still does it.
    func watchFiles(on loop: EventLoop) {
        do throws(NetError) {
            let watcher = try FileWatcher(on: loop) { [weak self] in
                guard let self else { return }
                Loop.start { _ = await self.reload(because: .file) }
            }
            self.watcher = watcher
            try watcher.watch(watched)
        } catch {
            log.warning("changes of the config are not noticed; send SIGHUP", ["reason": "\(error)"])
        }
    }

    /// The watcher itself goes with the process.
    func stop() {
        watcher?.cancel()
    }

    /// One line that says what changed, or why nothing did.
    func reload(because cause: Cause) async -> String {
        if let waiting { return await waiting.value }
        let before = last
        let task = Task(executorPreference: Loop.executor) { await self.perform(cause, after: before) }
        waiting = task
        last = task
        return await task.value
    }

    private func perform(_ cause: Cause, after before: Task<String, Never>?) async -> String {
        _ = await before?.value
        waiting = nil
        let loaded = await reader.load()
        // First of all, so that what the new settings do is masked as well.
        sink.take(loaded)
        watch(loaded)
        guard let settings = loaded.settings, let changes = service.take(settings) else {
            return refused(loaded, cause)
        }
        toldFaults = []
        tellWarnings(of: loaded)
        service.configTrouble = nil
        log.info("settings reloaded", ["because": cause.rawValue, "changes": changes.text])
        return "Settings reloaded: \(changes.text)."
    }

    private func tellWarnings(of loaded: LoadedSettings) {
        for line in loaded.lines(of: loaded.warnings, as: "warning") { log.warning("config", ["warning": line]) }
    }

    private func refused(_ loaded: LoadedSettings, _ cause: Cause) -> String {
        guard loaded.settings == nil else { return "The bot is stopping." }
        let faults = loaded.lines(of: loaded.faults, as: "error")
        if faults != toldFaults || cause != .file {
            for line in faults { log.error("config is bad", ["fault": line]) }
            log.error("the settings in force stay", ["faults": String(faults.count)])
        }
        toldFaults = faults
        let more = faults.count > 1 ? ", and \(faults.count - 1) more" : ""
        let text = "The settings in force stay: \(faults.first ?? "no settings")\(more)"
        service.configTrouble = text
        return text
    }

    /// A file that can't be read as a whole names no others: then those of before are still looked at.
    private func watch(_ loaded: LoadedSettings) {
        let files = [path] + loaded.files
        let now = loaded.settings == nil ? files + watched.filter { !files.contains($0) } : files
        guard now != watched, let watcher else { return }
        watched = now
        do throws(NetError) {
            try watcher.watch(now)
        } catch {
            log.warning("changes of the config are not noticed; send SIGHUP", ["reason": "\(error)"])
        }
    }
}
