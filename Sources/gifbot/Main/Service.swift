import Base
import Bot
import Chat
import Curl
import IRCAdapter
import MatrixAdapter
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
    private var irc: [String: IRCAdapter] = [:]
    private var matrix: [String: MatrixAdapter] = [:]
    /// Networks whose old connection still says goodbye: the new one waits, since both would want the same nick.
    private var leaving: [String: Task<Void, Never>] = [:]
    /// The same of Matrix accounts: all new ones wait, since one may be the same user's under another name, and its device has one
    /// position and one set of keys.
    private var leavingAccounts: [String: Task<Void, Never>] = [:]
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
        let old = settings
        config = new
        let new = new.ignoring(assembly.bot.ignoredByChat)
        settings = new
        assembly.update(new)
        for (name, adapter) in irc {
            let now = new.irc.first { $0.name == name }
            let before = old.irc.first { $0.name == name }
            if let now, let before, !now.needsReconnect(comparedTo: before) {
                adapter.update(settings: now, people: new.people(of: now))
            } else {
                irc[name] = nil
                leaving[name] = leave(adapter) { $0.leaving[name] = nil }
            }
        }
        for (name, adapter) in matrix {
            if let now = new.matrix.first(where: { $0.name == name }) {
                adapter.update(
                    settings: now, admins: new.section.matrixAdmins, ignore: new.section.matrixIgnored,
                    ageLimit: new.bot.longestAge(on: name))
            } else {
                matrix[name] = nil
                leavingAccounts[name] = leave(adapter) { $0.leavingAccounts[name] = nil }
            }
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
        let adapters: [any ChatAdapter] = Array(irc.values) + Array(matrix.values)
        let goodbyes = adapters.map { adapter in Loop.start { await adapter.stop(by: deadline) } }
        for goodbye in goodbyes + Array(leaving.values) + Array(leavingAccounts.values) { await goodbye.value }
        // What nothing can bring back is written before the cache, and the folder is locked until both are.
        await assembly.store.flush()
        await assembly.pages?.close()
        await assembly.store.close()
        assembly.http.stop()
    }

    private func startMissing() {
        guard !isStopping else { return }
        for network in settings.irc where irc[network.name] == nil && leaving[network.name] == nil {
            let adapter = assembly.adapter(network, of: settings)
            irc[network.name] = adapter
            adapter.start()
        }
        for account in settings.matrix where matrix[account.name] == nil && leavingAccounts.isEmpty {
            let adapter = assembly.adapter(account, of: settings)
            matrix[account.name] = adapter
            adapter.start()
        }
    }

    private func tellPeople() {
        guard !isStopping else { return }
        settings = config.ignoring(assembly.bot.ignoredByChat)
        for network in settings.irc {
            irc[network.name]?.update(settings: network, people: settings.people(of: network))
        }
        for account in settings.matrix {
            matrix[account.name]?.update(
                settings: account, admins: settings.section.matrixAdmins, ignore: settings.section.matrixIgnored,
                ageLimit: settings.bot.longestAge(on: account.name))
        }
    }

    private func leave(
        _ adapter: any ChatAdapter, then left: @escaping @Loop @Sendable (Service) -> Void
    ) -> Task<Void, Never> {
        let deadline = assembly.loop.now.advanced(by: Self.stopLimit)
        return Loop.start {
            await adapter.stop(by: deadline)
            left(self)
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
        settings.irc.map { "\($0.name) \(irc[$0.name]?.isOnline == true ? "online" : "not connected")" }
            + settings.matrix.map { account in
                "\(account.name) \(matrix[account.name].map { $0.haltReason ?? "at work" } ?? "not connected")"
            }
            + (configTrouble.map { ["config: \($0)"] } ?? [])
    }

    func ignoredChanged() {
        tellPeople()
    }
}
