import Base
import Bot
import Chat
import Curl
import Net
import State

/// The bot as `gifbot run` has it: every network and account of the config, from start to stop, reloads included.
@Loop final class Service {
    /// A stop as asked ends within 8 s; what is left of them after the answers in hand is for goodbyes and the state.
    static let stopLimit = Duration.seconds(7)

    private let assembly: Assembly
    /// As the file has them.
    private var config: Settings
    /// With those who are ignored by chat.
    private var settings: Settings
    private var adapters: [String: any NetworkAdapter] = [:]
    /// Networks whose old connection still says goodbye. All new ones wait: one may want the same nick, or be the same Matrix user
    /// under another name, and its device has one position and one set of keys.
    private var leaving: [String: Task<Void, Never>] = [:]
    private var isStopping = false
    /// Why the config on disk is not the one in force; nil when it is.
    var configTrouble: String?
    /// Reads the config again; says in a line what came of it.
    var onReload: (@Loop () async -> String)?

    init(_ settings: Settings, assembly: Assembly) {
        config = settings
        self.settings = settings.ignoring(assembly.bot.ignoredByChat)
        self.assembly = assembly
        assembly.bot.control = self
    }

    func start() {
        startMissing()
    }

    /// Takes up new settings: networks that are new are connected, those that are gone are left, and only one whose
    /// connection settings changed is connected anew. Nil when the bot is about to end.
    func take(_ new: Settings) -> SettingsChanges? {
        guard !isStopping else { return nil }
        let changes = SettingsChanges(from: config, to: new)
        config = new
        settings = new.ignoring(assembly.bot.ignoredByChat)
        assembly.update(settings)
        for (name, adapter) in adapters where !adapter.take(settings) {
            adapters[name] = nil
            leave(adapter)
        }
        startMissing()
        return changes
    }

    /// No new commands; the answers in hand are finished, every server is told goodbye, the state is saved.
    func stop() async {
        isStopping = true
        let clock = assembly.loop
        let deadline = clock.now.advanced(by: Self.stopLimit)
        assembly.bot.close()
        await assembly.bot.waitUntilIdle(by: clock.now.advanced(by: .seconds(4)))
        let goodbyes = adapters.values.map { adapter in Loop.start { await adapter.stop(by: deadline) } }
        for goodbye in goodbyes + Array(leaving.values) { await goodbye.value }
        // What nothing can bring back is written before the cache, and the folder is locked until both are.
        await assembly.store.flush()
        await assembly.pages?.close()
        await assembly.store.close()
        assembly.http.stop()
    }

    private func startMissing() {
        guard !isStopping else { return }
        for network in settings.networks where adapters[network.name] == nil && leaving.isEmpty {
            let adapter: any NetworkAdapter = network.adapter(in: assembly, of: settings, handler: assembly.bot)
            adapters[network.name] = adapter
            adapter.start()
        }
    }

    private func tellPeople() {
        guard !isStopping else { return }
        settings = config.ignoring(assembly.bot.ignoredByChat)
        for adapter in adapters.values { _ = adapter.take(settings) }
    }

    private func leave(_ adapter: any ChatAdapter) {
        let deadline = assembly.loop.now.advanced(by: Self.stopLimit)
        leaving[adapter.network] = Loop.start {
            await adapter.stop(by: deadline)
            self.leaving[adapter.network] = nil
            self.startMissing()
        }
    }
}

extension Service: BotControl {
    func reload() async -> String {
        guard let onReload else { return "Nothing to reload here." }
        return await onReload()
    }

    func networks() -> [String] {
        settings.networks.map { "\($0.name) \(adapters[$0.name]?.standing ?? "not connected")" }
            + (configTrouble.map { ["config: \($0)"] } ?? [])
    }

    func ignoredChanged() {
        tellPeople()
    }
}
