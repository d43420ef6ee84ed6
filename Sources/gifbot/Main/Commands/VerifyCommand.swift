import Base
import Bot
import Curl
import Glibc
import MatrixAdapter
import Net
import State

/// `gifbot verify`: lets a person make sure that the bot's device is the bot's, by comparing a few emoji.
struct VerifyCommand {
    let config: String?
    let account: String?
    /// Whom to ask; nil waits for bot admins.
    let user: String?

    func perform() -> Exit {
        guard let (_, loaded) = SettingsFile.loadAndTell(named: config), let settings = loaded.settings else {
            return .badConfig
        }
        guard let chosen = settings.matrixAccount(named: account) else { return .wrongUsage }
        guard chosen.encryption else {
            Output.error.write("gifbot: encryption is switched off for \(chosen.name), so there is nothing to verify\n")
            return .badConfig
        }
        guard user != nil || !settings.program.matrixAdmins.isEmpty else {
            Output.error.write("gifbot: the config has no Matrix id among its admins: say whom with --user\n")
            return .badConfig
        }
        let sink = StandardErrorLog()
        sink.take(loaded)
        return RunningProgram(sink: sink).run { (program) throws(StartError) in
            try program.startVerifying(chosen, of: settings, user: user)
        }
    }
}

extension Settings {
    /// The one asked for, or the only one; else says which there are.
    func matrixAccount(named name: String?) -> MatrixAccountSettings? {
        if let found = matrix.first(where: { $0.name == name }) { return found }
        if name == nil, matrix.count == 1 { return matrix[0] }
        let names = matrix.map(\.name).joined(separator: ", ")
        Output.error.write(
            matrix.isEmpty
                ? "gifbot: the config has no matrix account\n" : "gifbot: which account? There is: \(names)\n")
        return nil
    }
}

extension RunningProgram {
    /// Nobody has all day, and the bot stands still meanwhile.
    private static let patience: Duration = .minutes(10)

    fileprivate func startVerifying(
        _ account: MatrixAccountSettings, of settings: Settings, user: String?
    ) throws(StartError) {
        let store: StateStore
        do throws(StateError) {
            store = try StateStore.open(folder: settings.program.state, clock: loop, log: log.area("state"))
        } catch {
            if case .inUse = error {
                throw StartError(text: "\(error.description): stop the bot first, verify, and start it again")
            }
            throw StartError(text: error.description)
        }
        let assembly = Assembly(
            settings, store: store, stateFolder: settings.program.state, loop: loop, log: log)
        let talk = VerificationTalk(
            of: account.name, admins: settings.program.matrixAdmins, user: user,
            say: { Output.standard.write($0 + "\n") },
            finish: { exit, text in
                if let text { self.fail(text, exit) }
                self.stop(exit)
            })
        let adapter = account.adapter(in: assembly, of: settings, handler: talk)
        adapter.attend(talk)
        talk.adapter = adapter
        let clock = loop
        let timer = clock.schedule(at: clock.now + Self.patience) { talk.timeIsUp() }
        onStop = {
            clock.cancel(timer)
            talk.close()
            await adapter.stop(by: clock.now + .seconds(5))
            await store.close()
            assembly.http.stop()
        }
        adapter.start()
        StandardInput(line: { talk.typed($0) }, end: { talk.inputEnded() }).start()
    }
}
