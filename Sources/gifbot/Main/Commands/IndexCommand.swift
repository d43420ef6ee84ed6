import Base
import Bot
import Files
import FolderIndexing
import Glibc
import Synchronization

/// `gifbot index`: indexes a folder of GIFs, or brings its index up to date.
struct IndexCommand {
    let folder: String
    let config: String?

    private static let mostTroubles = 20

    func perform() -> Exit {
        let settings: Settings?
        if let config {
            guard let (_, loaded) = SettingsFile.loadAndTell(named: config), loaded.settings != nil else {
                return .badConfig
            }
            settings = loaded.settings
        } else {
            // One that happens to be here is no part of the work, so its faults are told elsewhere.
            settings = SettingsFile(named: nil)?.load().settings
        }
        return index(stateFolder: settings?.program.state)
    }

    private func index(stateFolder: String?) -> Exit {
        guard let place = IndexPlace(folder: folder, stateFolder: stateFolder) else {
            Output.error.write("gifbot: can't read the folder \(folder): \(systemText(errno))\n")
            return .failed
        }
        let meter = ProgressMeter(isTerminal: isatty(STDERR_FILENO) != 0) { Output.error.write($0) }
        let outcome: FolderIndexer.Outcome
        do throws(FolderIndexer.Failure) {
            outcome = try FolderIndexer(place).run { meter.reached($0, of: $1) }
            meter.finish()
        } catch {
            meter.finish()
            Output.error.write("gifbot: \(error.reason)\n")
            return .failed
        }
        for trouble in outcome.troubles.prefix(Self.mostTroubles) {
            Output.error.write("passed over: \(LogLine.plain(trouble))\n")
        }
        let more = outcome.troubles.count - Self.mostTroubles
        if more > 0 { Output.error.write("passed over: \(more) more\n") }
        Output.standard.write(
            "\(outcome.animated) moving pictures, \(outcome.still) still ones left out; \(outcome.opened) files read, "
                + "\(outcome.forgotten) forgotten\nindex: \(outcome.path)\n")
        return .asAsked
    }
}

/// How far it is: a bar on a terminal, else a line for each tenth.
final class ProgressMeter: Sendable {
    private struct State {
        var shown = -1
        var isOpen = false
    }

    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    /// May be called from any thread, and out of order.
    func reached(_ done: Int, of all: Int) {
        guard all > 0 else { return }
        let steps = isTerminal ? 100 : 10
        let step = done * steps / all
        state.withLock { state in
            guard step > state.shown else { return }
            state.shown = step
            state.isOpen = isTerminal
            guard isTerminal else { return write("\(step * 10) % of \(all) files\n") }
            let bar = String(repeating: "█", count: step / 4) + String(repeating: "·", count: 25 - step / 4)
            write("\r\(bar) \(step) % of \(all) files")
        }
    }

    func finish() {
        state.withLock { state in
            if state.isOpen { write("\n") }
            state.isOpen = false
        }
    }
}
